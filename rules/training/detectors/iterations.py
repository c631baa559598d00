"""How often a program comes to a place: the product of the loops around it, through the functions that lead there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.calls import call_at
from torchlint.model.headers import header
from torchlint.model.tensors.counts import ONCE, Count, count_of, length_of
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.pytorch.passing import SHOWING
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_UNKNOWN: Count | None = None
_LEAVING = (ast.Break, ast.Continue, ast.Return)


@tabled(_UNKNOWN)
def iterations_of(ev: Evaluator, place: Place) -> Count | None:
    """Return how often a program comes to a place, None where a test or an open number says."""
    found: Count | None = ONCE
    for block, _ in place.file.index.blocks_around(place.statement):
        owner = block.owner
        if isinstance(owner, ast.For) and block.arm == "body":
            turns = _turns(ev, header(place.file, owner)) if not _is_left(owner) else None
            found = found.times(turns) if found is not None and turns is not None else None
        elif owner is place.scope.node or owner is None:
            break
        elif not isinstance(owner, (ast.With, ast.AsyncWith)) and not _is_main(owner):
            return None
    if found is None or place.scope.kind != "function":
        return found
    callers = ev.callers(Function(place.file, place.scope))
    outside = iterations_of(ev, callers[0].place) if len(callers) == 1 else None
    return found.times(outside) if outside is not None else None


def _is_left(loop: ast.For) -> bool:
    """Tell whether a loop may end early, or leave a part of an iteration out."""
    return any(isinstance(node, _LEAVING) for statement in loop.body for node in walk(statement))


def _is_main(owner: ast.AST) -> bool:
    """Tell whether a test asks whether the file is the program: `if __name__ == "__main__":`."""
    return isinstance(owner, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in walk(owner.test)
    )


def _turns(ev: Evaluator, iterated: Place) -> Count | None:
    """Return how many iterations a loop makes."""
    call = call_at(iterated)
    if call is None:
        return length_of(ev, iterated)
    names, arguments = call.callee.names, call.arguments
    if names == {"builtins.range"} and len(arguments) == 1:
        return count_of(ev, arguments[0])
    if arguments and (names == {"builtins.enumerate"} or names & SHOWING):
        return _turns(ev, arguments[0])
    return length_of(ev, iterated)
