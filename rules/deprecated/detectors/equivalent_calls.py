"""Calls that can be replaced by those of another function, which does the same with the same arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.finding import Edit
from torchlint.pytorch.equivalents import EQUIVALENTS, Equivalent

from .named_instead import named_instead

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.place import Place


def equivalent_call(call: Call, name: str) -> tuple[Edit, ...]:
    """Return the edits that call what does the same as a function of a full name; none if nothing surely does."""
    found = EQUIVALENTS.get(name)
    if found is None or call.is_open or len(call.arguments) > found.positional or call.callee.owner is None:
        return ()
    keywords = call.keywords
    if not found.required <= keywords.keys():
        return ()
    options = {word: _option(found, word, value) for word, value in keywords.items() if word not in found.keywords}
    callee = named_instead(call.callee, found.name)
    if not callee or None in options.values():
        return ()
    written = (Edit(call.span_of_argument(keywords[word]), text) for word, text in options.items() if text is not None)
    return (*callee, *written, *(_as_list(call) if found.takes_list else ()))


def _option(found: Equivalent, word: str, value: Place) -> str | None:
    """Return how an option is written with the other function, None if it has none."""
    if not value.is_constant or value.literals is None or len(value.literals) != 1:
        return None
    (literal,) = value.literals
    return found.options.get((word, literal)) if isinstance(literal, bool) else None


def _as_list(call: Call) -> tuple[Edit, ...]:
    """Return the edits that put the positional arguments of a call into a list."""
    if not call.arguments:
        return ()
    return (call.arguments[0].edits.before("["), call.arguments[-1].edits.after("]"))
