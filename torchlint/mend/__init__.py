"""Mend what was found: fixes are made on the text as it is, checked by linting again, and written in one go."""

from torchlint.mend.mended import Mended, Refusal
from torchlint.mend.rounds import mend
from torchlint.mend.write import NoRoomError, NotWrittenError, write

__all__ = ["Mended", "NoRoomError", "NotWrittenError", "Refusal", "mend", "write"]
