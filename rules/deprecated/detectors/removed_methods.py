"""Methods that raise by now, and calls without an argument that has become necessary."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of, method_calls_of
from torchlint.model.devices.discarding import is_surely_tensor
from torchlint.model.roles import LOADERS, is_a
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Literal, Number
from torchlint.pytorch.removed import METHODS, NEXT, NEXT_NAME, STFT, STFT_NAMES, STFT_POSITION

from .removed_name import RemovedName

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place


def removed_methods(ev: Evaluator, file: ParsedFile) -> Iterator[RemovedName]:
    """Yield the calls of methods that tensors and iterators of loaders had once, and of `torch.stft` as it was."""
    for call in method_calls_of(file, frozenset(METHODS)):
        if call.owner is not None and not call.callee.names and _is_tensor(ev, call.owner):
            yield RemovedName(call, f"torch.{call.method}", (METHODS[call.method],))
    for call in method_calls_of(file, frozenset({"next"})):
        if call.owner is not None and not call.arguments and _is_iterator(ev, call.owner):
            edits = (call.edits.replace(f"next({call.owner.text})"),)
            yield RemovedName(call, NEXT_NAME, (NEXT,), edits)
    for call in calls_of(file, STFT_NAMES):
        if call.argument("return_complex", STFT_POSITION) is None and not call.is_open and _is_real(ev, call):
            yield RemovedName(call, min(call.callee.names & STFT_NAMES), (STFT,))


@tabled(False)
def _is_tensor(ev: Evaluator, place: Place) -> bool:
    """Tell whether something surely is a tensor: objects of other libraries, as linear operators, have such methods."""
    possible = ev.evaluate(place)
    return bool(possible) and all(
        is_surely_tensor(ev, one) and (one.origin is None or _is_of_tensors(ev, one.origin)) for one in possible
    )


def _is_of_tensors(ev: Evaluator, made: Place) -> bool:
    """Tell whether an expression makes a tensor of tensors, and not of what computes with them in its own way."""
    match made.expression:
        case ast.BinOp(left=left, right=right):
            return all(_is_tensor(ev, made.at(one)) or _is_number(ev, made.at(one)) for one in (left, right))
        case ast.UnaryOp(operand=operand):
            return _is_tensor(ev, made.at(operand))
        case ast.Call(func=ast.Attribute(value=owner) as callee) if not made.at(callee).names:
            return _is_tensor(ev, made.at(owner))
        case _:
            return True


def _is_number(ev: Evaluator, place: Place) -> bool:
    possible = ev.evaluate(place)
    return bool(possible) and all(isinstance(one.value, (Literal, Number)) for one in possible)


def _is_iterator(ev: Evaluator, place: Place) -> bool:
    """Tell whether something surely is `iter(loader)`."""
    possible = ev.evaluate(place)
    return bool(possible) and all(
        one.origin is not None and (loader := _iterated(one.origin)) is not None and _is_loader(ev, loader)
        for one in possible
    )


def _iterated(place: Place) -> Place | None:
    match place.expression:
        case ast.Call(func=ast.Name(id="iter"), args=[loader], keywords=[]):
            return place.at(loader)
        case _:
            return None


def _is_loader(ev: Evaluator, place: Place) -> bool:
    possible = ev.evaluate(place)
    return bool(possible) and all(is_a(ev, one.value, LOADERS) for one in possible)


def _is_real(ev: Evaluator, call: Call) -> bool:
    """Tell whether nothing says that the signal or the window of a transform is complex."""
    given = [call.argument("input", 0), call.argument("window", 4)]
    return not any(_may_be_complex(ev, one) for one in given if one is not None)


def _may_be_complex(ev: Evaluator, place: Place) -> bool:
    return any(one.origin is not None and "complex" in one.origin.code for one in ev.evaluate(place))
