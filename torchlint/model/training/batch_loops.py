"""Loops over batches around a loop that repeats the step with each: `for x in loader: for _ in range(steps): …`.

Each of their iterations makes a step, or a few. A loop over epochs is no such loop, and neither is one whose iterations
train for long: `for image in loader: for _ in range(500): …`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Literal
from torchlint.syntax.exits import LoopNode, loops_of
from torchlint.syntax.last_names import last_name
from torchlint.syntax.walk import names_under, walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_BATCHES = re.compile(r"(loader|batches|dataset)$", re.IGNORECASE)
_COUNTED = frozenset({"range", "trange"})
# As often as a critic is trained for each step of its generator.
_FEW = 5


def loop_over_batches(ev: Evaluator, place: Place, inside: Sequence[LoopNode]) -> LoopNode | None:
    """Return the loop over batches that makes a step with each through a place, None if there is none.

    `inside` are the loops around the place that are known to repeat the step, innermost first.
    """
    repeated = inside[-1] if inside else place.statement
    around = list(loops_of(place.file.index, repeated))
    loop = next((one for one in around if _goes_over_batches(one)), None)
    if not isinstance(loop, ast.For) or not _reads_any(repeated, _made_of_batch(place, loop, repeated)):
        return None
    between = (*inside, *around[: around.index(loop)])
    return loop if all(_repeats(ev, place, one) for one in between) else None


def is_tried_again(place: Place, inside: Sequence[LoopNode]) -> bool:
    """Tell whether a function makes the step of its caller, possibly in several tries: `while not done:`.

    `inside` are the loops around the step. The function itself sets the flag; that of an environment is no such flag.
    """
    match inside:
        case []:
            return next(loops_of(place.file.index, place.statement), None) is None
        case [ast.While(test=ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=flag))) as loop]:
            bindings = place.scope.bindings.get(flag, ())
            is_said = all(one.kind == "assign" and isinstance(one.value, ast.Constant) for one in bindings)
            is_alone = next(loops_of(place.file.index, loop), None) is None
            return is_alone and is_said and _reads_any(loop, {one.name for one in place.scope.parameters} - {"self"})
        case _:
            return False


def _repeats(ev: Evaluator, place: Place, loop: LoopNode) -> bool:
    """Tell whether a loop repeats with the same data, possibly a few times: `range(steps)`, `while not done`."""
    match loop:
        case ast.While(test=ast.Name() | ast.UnaryOp(op=ast.Not(), operand=ast.Name())):
            return True
        case ast.For(iter=ast.Call(func=function, args=[*_, end] as ends)) if last_name(function) in _COUNTED:
            counted = ends[1] if len(ends) > 1 else end
            numbers = (one.value for one in ev.evaluate(Place(place.file, counted, loop)))
            return not any(isinstance(one, Literal) and _is_many(one.value) for one in numbers)
        case _:
            return False


def _is_many(value: object) -> bool:
    return isinstance(value, (int, float)) and value > _FEW


def _goes_over_batches(loop: LoopNode) -> bool:
    """Tell by its names whether a loop iterates over a loader or the batches of one: `enumerate(train_loader)`."""
    return isinstance(loop, ast.For) and _are_batches(loop.iter)


def _are_batches(node: ast.expr) -> bool:
    match node:
        case ast.Name() | ast.Attribute():
            return _BATCHES.search(last_name(node)) is not None
        case ast.Call(func=function, args=given) if last_name(function) not in _COUNTED:
            return any(_are_batches(one) for one in (function, *given))
        case _:
            return False


def _made_of_batch(place: Place, loop: ast.For, repeated: ast.stmt) -> set[str]:
    """Return the names that each iteration of a loop binds, and those computed from them before it is repeated."""
    index = place.file.index
    made = names_under(loop.target)
    bindings = (one for group in place.scope.bindings.values() for one in group if one.value is not None)
    above = [one for one in bindings if loop.lineno < one.statement.lineno < repeated.lineno]
    for binding in sorted(above, key=lambda one: one.statement.lineno):
        if binding.value is not None and index.is_in_body(binding.statement, loop) and _reads_any(binding.value, made):
            made.add(binding.name)
    return made


def _reads_any(code: ast.AST, names: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in names for node in walk(code))
