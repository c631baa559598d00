"""Names replaced by others, with the import that this takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.finding import Edit
    from torchlint.model.place import Place


def named_instead(place: Place, same: str) -> tuple[Edit, ...]:
    """Return the edits that replace a name by an expression, with the import that it takes; none if there is none."""
    if not same:
        return ()
    if "." not in same:
        return (place.edits.replace(same),)
    named = place.named(same)
    return (place.edits.replace(named[0]), *named[1]) if named is not None else ()
