"""Lists about devices that surely have elements: `ids = []`, and a loop over `args.gpu_ids.split(",")`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.containers.lists import added_to, kept_as
from torchlint.model.guards.reachability import is_sure_to_run
from torchlint.syntax.device_words import asks_about_device, is_about_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

# How the length of something that is not empty compares with a number.
_OF_SOME: dict[tuple[type[ast.cmpop], int], bool] = {
    (ast.Gt, 0): True, (ast.GtE, 1): True, (ast.NotEq, 0): True,
    (ast.Eq, 0): False, (ast.LtE, 0): False, (ast.Lt, 1): False,
}  # fmt: skip


def is_filled(ev: Evaluator, place: Place) -> bool:
    """Tell whether a display at a place, empty or a comprehension, surely gets elements."""
    # Other lists decide too little to follow them.
    if not is_about_device(kept_as(place) or "") and not asks_about_device(place.expression):
        return False
    if isinstance(place.expression, ast.ListComp):
        return is_sure_to_run(ev, place.at(place.expression.elt))
    return any(
        added.scope is place.scope and added.line > place.line and is_sure_to_run(ev, added)
        for added, is_whole in added_to(place)
        if not is_whole
    )


def truth_of_length(ev: Evaluator, place: Place) -> bool | None:
    """Tell the outcome of `len(gpu_ids) > 0` if the list has elements, None for any other comparison."""
    match place.expression:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[counted]),
            ops=[op],
            comparators=[ast.Constant(value=int(number))],
        ) if (of_some := _OF_SOME.get((type(op), number))) is not None and asks_about_device(counted):
            has_some = ev.truth(place.at(counted))
            return None if has_some is None else has_some is of_some
        case _:
            return None
