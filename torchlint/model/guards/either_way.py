"""Branches of which every arm asks for CUDA: which of them runs says nothing about machines that have none.

`if gpus == 1: net.cuda()`, `else: DataParallel(net.cuda())`: where there are none, the second one raises.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlint.model.devices.literals import devices_of
from torchlint.model.devices.moving import device_argument
from torchlint.model.place import Place
from torchlint.model.syntax.conditions import conditions_inside
from torchlint.model.syntax.device_words import speaks_of_hardware
from torchlint.model.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.values.evaluator import Evaluator


def counts_one_either_way(ev: Evaluator, test: Place) -> bool:
    """Tell whether a test asks if there is one GPU, and CUDA is asked for whether there is or not.

    Of processes there may be none where all is done on the host.
    """
    match test.expression, test.statement:
        case (
            ast.Compare(ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=1)]) as asked,
            ast.If(test=whole, body=body, orelse=orelse),
        ) if whole is asked and speaks_of_hardware(asked):
            return _asks_among(ev, test, body) and _asks_among(ev, test, orelse)
        case _:
            return False


def _asks_among(ev: Evaluator, test: Place, arm: Sequence[ast.stmt]) -> bool:
    return any(_asks(ev, test, statement) for statement in arm)


def _asks(ev: Evaluator, test: Place, statement: ast.stmt) -> bool:
    """Tell whether a statement asks for CUDA, whichever way through it control takes."""
    match statement:
        case ast.If(body=body, orelse=orelse):
            return _asks_among(ev, test, body) and _asks_among(ev, test, orelse)
        case ast.With(body=body):
            return _asks_among(ev, test, body)
        case ast.Expr() | ast.Assign() | ast.Return():
            calls = (node for node in walk(statement) if isinstance(node, ast.Call))
            return any(_moves(ev, Place(test.file, call, statement, test.frame, test.given)) for call in calls)
        case _:
            return False


def _moves(ev: Evaluator, place: Place) -> bool:
    """Tell whether a call moves something to CUDA, and nothing in its statement decides whether it does."""
    call = place.expression
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    if any(True for _ in conditions_inside(place.statement, call, place.file.parents_in(place.statement))):
        return False
    if call.func.attr == "cuda":
        return True
    argument = device_argument(call, "to") if call.func.attr == "to" else None
    devices = devices_of(ev.evaluate(place.at(argument))) if argument is not None else ()
    return bool(devices) and all(device.kind == "cuda" for device, _ in devices)
