"""Mend what was found: fixes are made on the text as it is, checked by linting again, and written in one go."""

from torchlint.fixing.outcome import Mended, Refusal
from torchlint.fixing.rounds import mend
from torchlint.fixing.write import NoRoomError, NotWrittenError, write

__all__ = ["Mended", "NoRoomError", "NotWrittenError", "Refusal", "mend", "write"]
