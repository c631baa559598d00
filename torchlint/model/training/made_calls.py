"""The calls that the body of a loop or a function makes, distinguished by what determines the callee."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.calls import Call
from torchlint.model.parallel.wrappers import without_wrappers
from torchlint.model.place import Caller, Place
from torchlint.model.values.frames import frame_for
from torchlint.model.values.value_sets import Function, Instance, Value

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.value_sets import Frame
    from torchlint.syntax.exits import LoopNode
    from torchlint.syntax.scope import Scope


def calls_in(file: ParsedFile, loop: ast.stmt) -> Iterator[Call]:
    """Yield the calls in the body of a loop, without those of functions defined there."""
    for call, statement in file.calls_within(loop):
        if file.index.is_in_body(statement, loop):
            yield Call(file, call, statement)


def own_calls(function: Function, *, is_open: bool) -> Iterator[Place]:
    """Yield the calls that a function makes; those of its parameters only if their arguments are unknown."""
    for call, statement in function.file.calls_in_scope(function.scope):
        if is_open or not _names(function, call.func):
            yield Place(function.file, call, statement)


def calls_of_given(ev: Evaluator, function: Function, call: Place) -> Iterator[Place]:
    """Yield the calls of functions and modules that one caller passes or names, and the calls that pass these on."""
    calls = function.file.calls_in_scope(function.scope)
    if (given := _given_to_be_called(ev, function, call)) and (frame := frame_for(call, function, most=2)) is not None:
        for inner, statement in calls:
            parts = (inner.func, *inner.args, *(word.value for word in inner.keywords))
            if any(isinstance(part, ast.Name) and part.id in given for part in parts):
                yield Place(function.file, inner, statement, frame)
    if looking_up := [pair for pair in calls if _looks_up(pair[0].func)]:
        # An attribute with a computed name differs in each object that the method may be called on.
        for frame in _frames(ev, function, call):
            yield from (Place(function.file, inner, statement, frame) for inner, statement in looking_up)


def _frames(ev: Evaluator, function: Function, call: Place) -> Iterator[Frame]:
    """Yield the frames of a call that may run a function, one for each receiver."""
    for one in callees_of(ev, call) if isinstance(call.expression, ast.Call) else ():
        if one == function and (frame := frame_for(call, one, most=2)) is not None:
            yield frame


def _looks_up(node: ast.expr) -> bool:
    """Tell whether an expression is an attribute whose name is computed: `getattr(self, "_" + mode)`."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, name, *_]):
            return not isinstance(name, ast.Constant)
        case _:
            return False


def _given_to_be_called(ev: Evaluator, function: Function, call: Place) -> frozenset[str]:
    """Return the names of the parameters for which a call passes a callable."""
    if not isinstance(call.expression, ast.Call):
        return frozenset()
    caller = Caller.of_call(call, 1 if function.receiver is not None else 0)
    passed = ((one.name, place) for one in function.scope.parameters for place in caller.argument(one) or ())
    return frozenset(name for name, place in passed if _can_be_called(ev, place))


def _can_be_called(ev: Evaluator, place: Place) -> bool:
    """Tell whether a name or attribute is a function, or a module of the project, wrapped or not."""
    if not isinstance(place.expression, (ast.Name, ast.Attribute, ast.Lambda)):
        return False
    possible = ev.evaluate(place)
    return any(_is_callable(ev, inner.value) for one in possible for inner in without_wrappers(ev, one))


def _is_callable(ev: Evaluator, value: Value) -> bool:
    match value:
        case Function():
            return True
        case Instance(kind=kind):
            return is_module(ev, value) or method_of(ev, kind, "__call__") is not None
        case _:
            return False


def _names(function: Function, node: ast.expr) -> bool:
    """Tell whether an expression is the name of one of a function's parameters."""
    return isinstance(node, ast.Name) and any(one.name == node.id for one in function.scope.parameters)


def called_besides(ev: Evaluator, chain: Sequence[Place], loop: LoopNode) -> Iterator[Scope]:
    """Yield the functions that a loop calls besides the one through which it leads to a `backward()`.

    Where one of them trains in a loop of its own, the other only checks or shows gradients, once for each training.
    """
    if len(chain) > 1:
        for call in calls_in(chain[0].file, loop):
            if call.expression is not chain[0].expression:
                yield from (one.scope for one in callees_of(ev, call))
