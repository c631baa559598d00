"""Calls of methods by names that are strings: `getattr(hook, "after_step")(self)`, or by a name that a caller passes.

`trainer.call_hook("after_step")` calls what `for hook in self.hooks: getattr(hook, name)(self)` finds under that name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.place import Caller, Place
from torchlint.model.values.distinctive import is_distinctive
from torchlint.model.values.value_sets import Class, Function, Instance, Possibility, Unknown, Value
from torchlint.syntax.scope import Parameter

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# A string in more files is a common word, and no name of a method.
_MOST_FILES = 40


def callers_by_name(ev: Evaluator, function: Function) -> Iterator[tuple[Place, Place]]:
    """Yield the calls that pass a method's name, each with the call by that name in the callee."""
    name = function.scope.name
    if not function.scope.is_method:
        return
    for place in _passing(ev, name):
        for callee in callees_of(ev, place):
            passed = Caller.of_call(place, 1 if callee.receiver is not None else 0, callee.fixed)
            for call, parameter in _calls_by_parameters(callee):
                is_passed = any(_is_text(one.expression, name) for one in passed.argument(parameter) or ())
                if is_passed and _may_be_of(ev, call, function):
                    yield place, call


def _passing(ev: Evaluator, name: str) -> Iterator[Place]:
    """Yield the calls that pass a name as a string, in the files where something may be called by name."""
    library = ev.project.library
    if not library.holding("getattr("):
        return
    paths = {**library.holding(f'"{name}"'), **library.holding(f"'{name}'")}
    for path in sorted(paths) if len(paths) <= _MOST_FILES else ():
        if (file := ev.project.parsed(path)) is not None:
            yield from _passing_in(file, name)


def _passing_in(file: ParsedFile, name: str) -> Iterator[Place]:
    for call, statement in file.index.expressions(ast.Call):
        if any(_is_text(one, name) for one in (*call.args, *(word.value for word in call.keywords))):
            yield Place(file, call, statement)


def _is_text(node: ast.AST, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _calls_by_parameters(function: Function) -> Iterator[tuple[Place, Parameter]]:
    """Yield the calls in a function by the name that one of its parameters is: `getattr(x, name)()`."""
    for call, statement in function.file.calls_in_scope(function.scope):
        match call.func:
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Name(id=name), *_]):
                for parameter in function.scope.parameters:
                    if parameter.name == name:
                        yield Place(function.file, call, statement), parameter


def _may_be_of(ev: Evaluator, call: Place, method: Function) -> bool:
    """Tell whether a call by name may run a method, as far as its receiver is known."""
    assert isinstance(call.expression, ast.Call)
    assert isinstance(call.expression.func, ast.Call)
    assert method.scope.outer is not None
    kind = Class(method.file, method.scope.outer)
    owners = ev.evaluate(call.at(call.expression.func.args[0]))
    if any(_has(ev, owner.value, method) for owner in owners):
        return True
    return any(_may_become(ev, owner, kind) for owner in owners) and is_distinctive(ev, method, call.expression)


def _has(ev: Evaluator, owner: Value, method: Function) -> bool:
    found = method_of(ev, owner.kind, method.scope.name) if isinstance(owner, Instance) else None
    return found is not None and found.scope is method.scope


def _may_become(ev: Evaluator, owner: Possibility, kind: Class) -> bool:
    """Tell whether an object of unknown origin may be of a class: it is unknown, or its class is a base."""
    if isinstance(owner.value, Instance):
        return owner.origin is None and owner.value.kind in family(ev, kind)
    return isinstance(owner.value, Unknown)
