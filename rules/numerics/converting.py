"""The fix for a tensor of another dtype than what it is passed to wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint import Fix

if TYPE_CHECKING:
    from torchlint import Place


def converted(tensor: Place, cast: str, title: str) -> Fix | None:
    """Return the fix that calls a method on a name, such as `.float()`; None for any other expression."""
    edit = tensor.edits.after(cast) if tensor.is_name else None
    return Fix(title, (edit,), safe=True) if edit is not None else None
