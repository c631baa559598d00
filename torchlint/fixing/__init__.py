"""Fix findings: edits are made in the text, checked by linting again, and written at once."""

from torchlint.fixing.outcome import Mended, Refusal
from torchlint.fixing.rounds import mend
from torchlint.fixing.write import NoRoomError, NotWrittenError, write

__all__ = ["Mended", "NoRoomError", "NotWrittenError", "Refusal", "mend", "write"]
