"""The text of calls of pure operations: a file without any discards no result."""

from __future__ import annotations

from torchlint.pytorch.pure import PURE, PURE_FUNCTIONS

PURE_WORDS = tuple(sorted({f".{name.rpartition('.')[2]}(" for name in (*PURE, *PURE_FUNCTIONS)}))
