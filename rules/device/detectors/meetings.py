"""Where tensors meet that have to be on one device: in operators, calls of PyTorch, and inputs of modules."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.devices.operands import spread
from torchlint.model.parallel.wrappers import moves_inputs, scatters_itself
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Frame, Imported, Instance, Possibility, Tensor, ValueSet
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.companions.torchmetrics import UPDATE
from torchlint.pytorch.companions.transformers import GENERATING
from torchlint.pytorch.device_checks import MIXING_METHODS, UNCHECKED
from torchlint.pytorch.symbols import MODULE

from .attending import unread
from .clamping import clamped_with, is_clamping
from .mixable import is_operation, may_mix
from .unpacking import may_be_moved_in_place

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


_AS_CALLS = frozenset({UPDATE, "forward"})


class Kind(Enum):
    """How tensors meet."""

    OPERATION = "operation"
    BOUNDS = "bounds"
    """`clamp` and its bounds, which may not be elsewhere even as scalars."""
    INDEXING = "indexing"
    """A table, and its indices."""
    LOSS = "loss"
    """The arguments of a loss."""
    MODULE = "module"
    """The inputs of a module, which has tensors of its own."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """The expressions in an operation that may be tensors which meet."""

    place: Place
    operands: tuple[Place, ...]
    kind: Kind = Kind.OPERATION
    callee: Possibility | None = None
    """The module or loss that is called."""


def operations_in(file: ParsedFile, scope: Scope, frame: Frame | None) -> Iterator[Place]:
    """Yield the expressions of a function in which tensors may meet, by their syntax."""
    for node, statement in file.operations_in_scope(scope):
        if may_mix(node):
            yield Place(file, node, statement, frame)


def additions_in(file: ParsedFile, scope: Scope, frame: Frame | None) -> Iterator[Place]:
    """Yield the targets of the `x += y` of a function."""
    for addition in file.index.statements(ast.AugAssign):
        if file.index.home[addition][0].scope is scope:
            yield Place(file, addition.target, addition, frame)


def meetings(ev: Evaluator, place: Place) -> Iterator[Meeting]:
    """Yield what meets in an operation; several for a call with several possible callees."""
    if isinstance(place.statement, ast.AugAssign) and place.expression is place.statement.target:
        yield _of(place, (place.expression, place.statement.value))
        return
    match place.expression:
        case ast.BinOp(left=left, right=right):
            yield _of(place, (left, right))
        case ast.Compare(left=left, comparators=comparators):
            yield _of(place, (left, *comparators))
        case ast.Subscript(value=value, slice=key):
            yield _of(place, (value, key), Kind.INDEXING)
        case ast.Call() as call:
            yield from _in_call(ev, place, call)


def _of(place: Place, operands: Iterable[ast.expr], kind: Kind = Kind.OPERATION) -> Meeting:
    return Meeting(place, tuple(place.at(one) for one in operands), kind)


def _in_call(ev: Evaluator, place: Place, call: ast.Call) -> Iterator[Meeting]:
    if is_clamping(call) and not any(is_module(ev, one.value) for one in ev.evaluate(place.at(call.func))):
        yield _of(place, clamped_with(ev, place, call), Kind.BOUNDS)
        return
    if isinstance(call.func, ast.Attribute) and call.func.attr.removesuffix("_") in MIXING_METHODS:
        owner = ev.evaluate(place.at(call.func.value))
        if owner and all(isinstance(one.value, Tensor) for one in owner):
            yield _of(place, (call.func.value, *call.args))
            return
    callees = _called(ev, place, called_by(call))
    for callee in callees if not any(scatters_itself(ev, one) for one in callees) else ():
        match callee.value:
            case Imported(name=name) if is_operation(canonical(name)):
                yield _of(place, _operands(ev, place, call, unread(ev, place, canonical(name))))
            case Built() | Instance() if is_module(ev, callee.value) and not moves_inputs(ev, callee):
                yield from _with_module(place, call, callee)


def called_by(call: ast.Call) -> ast.expr:
    """Return what a call calls; `net` of `net.forward(x)` and `metric.update(x, y)`, which do as calling it does."""
    function = call.func
    return function.value if isinstance(function, ast.Attribute) and function.attr in _AS_CALLS else function


def _called(ev: Evaluator, place: Place, function: ast.expr) -> ValueSet:
    """Return what a call may call; `generate` of a model from elsewhere calls that."""
    if isinstance(function, ast.Attribute) and function.attr == GENERATING:
        owners = ev.evaluate(place.at(function.value))
        if owners and all(one.value == Built(MODULE) for one in owners):
            return owners
    return ev.evaluate(place.at(function))


def _operands(ev: Evaluator, place: Place, call: ast.Call, besides: ast.expr | None) -> Iterator[ast.expr]:
    given = [*call.args, *(word.value for word in call.keywords if word.arg is not None)]
    parts = (part for one in given if one is not besides for part in spread(ev, place.at(one)))
    return (part.expression for part in parts if part.statement is place.statement)


def _with_module(place: Place, call: ast.Call, callee: Possibility) -> Iterator[Meeting]:
    given = [place.at(one) for one in call.args if not isinstance(one, ast.Starred)]
    words = [(word.arg, place.at(word.value)) for word in call.keywords]
    given += [one for name, one in words if name is not None or not may_be_moved_in_place(one)]
    name = callee.value.name if isinstance(callee.value, Built) else ""
    if name not in UNCHECKED:
        yield Meeting(place, tuple(given), Kind.LOSS if name.endswith("Loss") else Kind.MODULE, callee)
