"""The calls that the body of a loop or a function makes, told apart by who says what is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.linking.callees import callees_of
from torchlint.model.place import Place
from torchlint.model.values.frame import frame_for
from torchlint.model.values.possible import Function

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.values.evaluator import Evaluator
    from torchlint.model.values.frame import Frame


def calls_in(file: SourceFile, loop: ast.stmt) -> Iterator[Place]:
    """Yield the calls in the body of a loop, those of functions defined there left out."""
    scope = file.index.home[loop][0].scope
    for call, statement in file.calls_in_scope(scope):
        if file.index.is_in_body(statement, loop):
            yield Place(file, call, statement)


def own_calls(function: Function, *, is_open: bool) -> Iterator[Place]:
    """Yield the calls that a function makes; of what it is given itself only where nobody knows who gives it."""
    for call, statement in function.file.calls_in_scope(function.scope):
        if is_open or not _names(function, call.func):
            yield Place(function.file, call, statement)


def calls_of_given(ev: Evaluator, function: Function, call: Place) -> Iterator[Place]:
    """Yield the calls of functions that one caller gives or names, and the calls that hand these on."""
    calls = function.file.calls_in_scope(function.scope)
    if _gives_functions(ev, call) and (frame := frame_for(call, function, most=2)) is not None:
        for inner, statement in calls:
            if any(_names(function, part) for part in (inner.func, *inner.args)):
                yield Place(function.file, inner, statement, frame)
    if looking_up := [pair for pair in calls if _looks_up(pair[0].func)]:
        # What goes by a name is another thing in each object that the method may be called on.
        for frame in _frames(ev, function, call):
            yield from (Place(function.file, inner, statement, frame) for inner, statement in looking_up)


def _frames(ev: Evaluator, function: Function, call: Place) -> Iterator[Frame]:
    """Yield the frames of a call that may run a function, one for each object that this may be a method of."""
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


def _gives_functions(ev: Evaluator, call: Place) -> bool:
    node = call.expression
    given = [*node.args, *(word.value for word in node.keywords)] if isinstance(node, ast.Call) else []
    plain = (one for one in given if isinstance(one, (ast.Name, ast.Attribute, ast.Lambda)))
    return any(isinstance(value.value, Function) for one in plain for value in ev.evaluate(call.at(one)))


def _names(function: Function, node: ast.expr) -> bool:
    """Tell whether an expression is the name of one of a function's parameters."""
    return isinstance(node, ast.Name) and any(one.name == node.id for one in function.scope.parameters)
