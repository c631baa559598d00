"""Statements that need CUDA on every path through them, and the code after those whose failure is caught.

`try: torch.zeros(1, device="cuda")`, `except RuntimeError: return "cpu"`: all code below has CUDA.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlint.model.devices.literals import devices_of
from torchlint.model.devices.moving import device_argument
from torchlint.model.guards.catching import catches
from torchlint.model.place import Place
from torchlint.model.values.earlier_statements import any_earlier
from torchlint.model.values.value_sets import Imported
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.needs_cuda import NEEDS_CUDA
from torchlint.syntax.arguments import passed
from torchlint.syntax.dominating_conditions import conditions_inside
from torchlint.syntax.exits import leaves_block, suppresses
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def comes_after_attempt(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place is below a `try` that fails without CUDA and then leaves the block, or in its `else`."""
    for block, _ in place.file.index.blocks_around(place.statement):
        if isinstance(block.outer, ast.Try) and block.arm == "orelse" and asks_among(ev, place, block.outer.body):
            return True
    return _is_sent_away(ev, place)


@any_earlier
def _is_sent_away(ev: Evaluator, earlier: Place) -> bool:
    """Tell whether the handler of a failure without CUDA leaves the block: with `return`, with `continue`."""
    attempt, index = earlier.statement, earlier.file.index
    if not isinstance(attempt, ast.Try) or not all(leaves_block(one.body, index) for one in attempt.handlers):
        return False
    return any(map(catches, attempt.handlers)) and asks_among(ev, earlier, attempt.body)


def asks_among(ev: Evaluator, test: Place, arm: Sequence[ast.stmt]) -> bool:
    """Tell whether a block needs CUDA in one of its statements."""
    return any(_asks(ev, test, statement) for statement in arm)


def _asks(ev: Evaluator, test: Place, statement: ast.stmt) -> bool:
    match statement:
        case ast.If(body=body, orelse=orelse):
            return asks_among(ev, test, body) and asks_among(ev, test, orelse)
        case ast.With(body=body) if not suppresses(statement):
            return asks_among(ev, test, body)
        case ast.Expr() | ast.Assign() | ast.Return():
            calls = (node for node in walk(statement) if isinstance(node, ast.Call))
            return any(_needs(ev, Place(test.file, call, statement, test.frame, test.given)) for call in calls)
        case _:
            return False


def _needs(ev: Evaluator, place: Place) -> bool:
    """Tell whether a call needs CUDA, and is unconditional within its statement."""
    call = place.expression
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    if any(True for _ in conditions_inside(place.statement, call, place.file.parents_in(place.statement))):
        return False
    if call.func.attr == "cuda":
        return True
    argument = device_argument(call, "to") if call.func.attr == "to" else passed(call, "device")
    if argument is None:
        return _is_of_cuda(ev, place.at(call.func))
    devices = devices_of(ev.evaluate(place.at(argument)))
    return bool(devices) and all(device.kind == "cuda" for device, _ in devices)


def _is_of_cuda(ev: Evaluator, function: Place) -> bool:
    names = [canonical(one.value.name) for one in ev.evaluate(function) if isinstance(one.value, Imported)]
    return bool(names) and all(name in NEEDS_CUDA for name in names)
