"""Take over the suppressions and settings of other linters of PyTorch code."""

from torchlint.migration.codes import CODES, Code
from torchlint.migration.comments import Migrated, mentions_codes, migrated

__all__ = ["CODES", "Code", "Migrated", "mentions_codes", "migrated"]
