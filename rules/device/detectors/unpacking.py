"""What a call unpacks into its arguments: `net(*parts)`, `net(**inputs)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.devices.moving import moved_in_place
from torchlint.model.tensors.encodings import is_on_host
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import Possibility


def unpacked_in(call: ast.Call) -> list[ast.expr]:
    """Return what a call unpacks into its arguments: `more` of `f(*more)` and `f(**more)`."""
    starred = [one.value for one in call.args if isinstance(one, ast.Starred)]
    return [*starred, *(word.value for word in call.keywords if word.arg is None)]


def may_be_moved_in_place(mapping: Place) -> bool:
    """Tell whether the function moves what it unpacks in place, as an encoding does in `batch.to(device)`."""
    name = mapping.code
    calls = mapping.file.calls_in_scope(mapping.scope)
    moved = (moved_in_place(call, at) for call, at in calls if callee_name(call) in MOVES)
    return any(one is not None and written(one) == name for one in moved)


def unpacked_encodings(ev: Evaluator, place: Place) -> Iterator[tuple[Place, Possibility]]:
    """Yield what a call unpacks that a tokenizer made, with tensors on the host, and what it is."""
    assert isinstance(place.expression, ast.Call)
    for node in unpacked_in(place.expression):
        given = place.at(node)
        if (possible := ev.evaluate(given)) and all(map(is_on_host, possible)):
            yield given, possible[0]
