"""Numbers that every step has another of: what its loop goes over, and what it counts."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.training.counters import counts_each_iteration
from torchlint.model.training.what_trains import step_loops_of
from torchlint.syntax.around import loops_around
from torchlint.syntax.iterated import shown
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.place import Place


def counts_steps(place: Place) -> bool:
    """Tell whether an expression is an int that every step of the training around it has another of: `2 * step`."""
    match place.expression:
        case ast.Name(id=name):
            return _numbers_steps(place, name) or counts_each_iteration(place, place.expression)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return counts_steps(place.at(left)) or counts_steps(place.at(right))
        case _:
            return False


def spells_steps(place: Place) -> bool:
    """Tell whether an expression is a text with such a number: `f"step {step}"`, `str(step)`."""
    match place.expression:
        case ast.JoinedStr(values=parts):
            return any(isinstance(one, ast.FormattedValue) and counts_steps(place.at(one.value)) for one in parts)
        case ast.Call(func=ast.Name(id="str"), args=[value]):
            return counts_steps(place.at(value))
        case _:
            return False


def _numbers_steps(place: Place, name: str) -> bool:
    """Tell whether a name is the number of the step: `for step in range(n)`, `for step, x in enumerate(batches)`."""
    training = step_loops_of(place.file.project)
    for loop in loops_around(place):
        if isinstance(loop, ast.For) and training.has_loop(place.file, loop) and _numbered(loop) == name:
            return len([one for one in place.scope.bindings.get(name, ()) if one.statement is not loop]) == 0
    return False


def _numbered(loop: ast.For) -> str:
    """Return the name of the number of a loop's iteration; nothing where it has none."""
    iterated = shown(loop.iter)
    match callee_name(iterated) if isinstance(iterated, ast.Call) else "", loop.target:
        case ("range" | "trange", ast.Name(id=name)) | ("enumerate", ast.Tuple(elts=[ast.Name(id=name), *_])):
            return name
        case _:
            return ""
