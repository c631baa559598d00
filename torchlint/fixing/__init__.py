"""Fix findings: edits are made in the text, checked by linting again, and written at once."""

from torchlint.fixing.iterations import fix_all
from torchlint.fixing.outcome import FixedFile, Refusal
from torchlint.fixing.write import NoRoomError, NotWrittenError, write

__all__ = ["FixedFile", "NoRoomError", "NotWrittenError", "Refusal", "fix_all", "write"]
