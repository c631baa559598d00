"""Arguments that a method stores in attributes of its object, all at once: `self.__dict__.update(locals())`.

It may loop over them, `setattr(self, name, value)`, or call a helper: `keep_arguments(locals())`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from torchlint.model.attributes.filling import copied, fillings
from torchlint.model.place import Place
from torchlint.model.values.plain import plain
from torchlint.model.values.value_sets import Class, Function
from torchlint.syntax.scope import Parameter, Scope, Store
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


@dataclass(frozen=True, slots=True)
class _Keeping:
    """The stores that a method makes at once, by the argument stored; `helper` is the call that makes them."""

    stores: dict[str, Store]
    helper: Place | None = None
    is_renamed: bool = False


class KeptArguments:
    """The implicit stores into attributes of a file's objects."""

    def __init__(self, file: ParsedFile) -> None:
        self._file = file

    def stores(self, name: str) -> Iterator[Store]:
        """Yield the stores of arguments into attributes of a name."""
        for keeping in self._keepings:
            store = keeping.stores.get(name) or keeping.stores.get(name.lstrip("_"))
            if store is None:
                continue
            is_renamed = keeping.is_renamed if keeping.helper is None else _renames(keeping.helper)
            # The only prefix of an argument's name is underscores.
            if is_renamed is not None and (is_renamed or name in keeping.stores):
                yield store

    @cached_property
    def _keepings(self) -> list[_Keeping]:
        return [*self._kept_here(), *self._passed_on()]

    def _kept_here(self) -> Iterator[_Keeping]:
        for one in fillings(self._file):
            method = self._scope(one.statement)
            if written(one.receiver) == _self_of(method) and _is_locals(one.mapping, method):
                yield _Keeping(_stores(method, one.statement, one.mapping), None, one.is_renamed)

    def _passed_on(self) -> Iterator[_Keeping]:
        for call, statement in self._file.index.expressions(ast.Call):
            method = self._scope(statement)
            if isinstance(statement, ast.Expr) and statement.value is call and _self_of(method) is not None:
                for argument in call.args:
                    if _is_locals(argument, method):
                        helper = Place(self._file, call, statement)
                        yield _Keeping(_stores(method, statement, argument), helper)

    def _scope(self, statement: ast.stmt) -> Scope:
        return self._file.index.home[statement][0].scope


def _self_of(method: Scope) -> str | None:
    return method.parameters[0].name if method.is_method and method.parameters else None


def _is_locals(node: ast.expr, scope: Scope) -> bool:
    """Tell whether a dict holds the variables of a function: `locals()`, a copy of it, a name for it."""
    match copied(node):
        case ast.Call(func=ast.Name(id="locals"), args=[]):
            return True
        case ast.Name(id=name):
            values = (binding.value for binding in scope.bindings.get(name, ()) if binding.kind == "assign")
            return any(
                isinstance(copied(one), ast.Call) and _is_locals(one, scope) for one in values if one is not None
            )
        case _:
            return False


def _stores(method: Scope, statement: ast.stmt, where: ast.expr) -> dict[str, Store]:
    """Return the stores of a method's arguments, each as if it were explicit; without those that are deleted."""
    receiver, *others = method.parameters
    gone = {part.id for one in _deletions(method) for part in one.targets if isinstance(part, ast.Name)}
    return {one.name: _store(receiver, one, statement, where) for one in others if one.name not in gone}


def _deletions(method: Scope) -> Iterator[ast.Delete]:
    return (one for one in method.node.body if isinstance(one, ast.Delete))


def _store(receiver: Parameter, argument: Parameter, statement: ast.stmt, where: ast.expr) -> Store:
    target, value = (ast.copy_location(ast.Name(one.name, ast.Load()), where) for one in (receiver, argument))
    return Store(target, argument.name, "assign", statement, value)


def _renames(call: Place) -> bool | None:
    """Tell whether a helper's attributes have other names than the variables, None if it sets none."""
    assert isinstance(call.expression, ast.Call)
    for function, passed in _helpers(call, call.expression):
        names = {parameter.name: node for parameter, node in zip(function.scope.parameters, passed, strict=False)}
        own = _self_of(call.scope)
        objects = {name for name, node in names.items() if written(node) == own}
        dicts = {name for name, node in names.items() if _is_locals(node, call.scope)}
        for one in fillings(function.file):
            if function.file.index.home[one.statement][0].scope is not function.scope:
                continue
            if written(copied(one.mapping)) in dicts and _is_object(one.receiver, function.scope, objects, dicts, own):
                return one.is_renamed
    return None


def _helpers(call: Place, node: ast.Call) -> Iterator[tuple[Function, list[ast.expr]]]:
    """Yield the function that a call surely runs, and its arguments, `self` among them."""
    from torchlint.model.call_graph.class_hierarchy import plain_method

    match node.func:
        case ast.Name():
            for one in plain(call.at(node.func)) or ():
                if isinstance(one.value, Function):
                    yield one.value, node.args
        case ast.Attribute(value=ast.Name(id=name) as receiver, attr=word) if name == _self_of(call.scope):
            assert call.scope.outer is not None
            if (method := plain_method(Class(call.file, call.scope.outer), word)) is not None:
                yield method, [receiver, *node.args]


def _is_object(node: ast.expr, scope: Scope, objects: set[str], dicts: set[str], own: str | None) -> bool:
    """Tell whether something is the object whose method calls the helper: passed, or read from its variables."""
    match node:
        case ast.Name(id=name):
            values = [binding.value for binding in scope.bindings.get(name, ()) if binding.value is not None]
            given = (one for one in values if not isinstance(one, ast.Name))
            return name in objects or any(_is_object(one, scope, objects, dicts, own) for one in given)
        case (
            ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key))
            | ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="pop" | "get"), args=[ast.Constant(value=key), *_]
            )
        ):
            return name in dicts and key == own
        case _:
            return False
