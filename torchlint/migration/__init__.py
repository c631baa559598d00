"""Take over the suppressions and settings of other linters of PyTorch code."""

from torchlint.migration.codes import CODES, Code
from torchlint.migration.comments import Migrated, mentions_codes, migrated
from torchlint.migration.folder import FolderMigration, leads_out, migrated_settings

__all__ = [
    "CODES",
    "Code",
    "FolderMigration",
    "Migrated",
    "leads_out",
    "mentions_codes",
    "migrated",
    "migrated_settings",
]
