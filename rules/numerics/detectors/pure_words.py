"""How calls of operations that change nothing are written: a file with none of these throws no result away."""

from __future__ import annotations

from torchlint.pytorch.pure import PURE, PURE_FUNCTIONS

PURE_WORDS = tuple(sorted({f".{name.rpartition('.')[2]}(" for name in (*PURE, *PURE_FUNCTIONS)}))
