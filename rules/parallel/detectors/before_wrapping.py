"""Methods that only run while their object is constructed, before its constructor wraps the model.

`self.load(path)` in `__init__`, above `self.model = DistributedDataParallel(self.model)`, finds the model bare, and so
does all that `load` calls on the object, in subclasses as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.inference.limits import FAR
from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Instance, Possibility, Unknown
from torchlint.syntax.exits import loops_of
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# Modules, optimizers and files have these as well: on an unknown receiver they are rather theirs.
_OF_MANY = frozenset({"load", "load_state_dict", "state_dict", "to", "cuda", "half", "parameters", "apply"})


def runs_before_wrapping(ev: Evaluator, place: Place, wrapped: Place) -> bool:
    """Tell whether every call that leads to a method is above the place where the constructor wraps."""
    method = place.scope
    if wrapped.scope.name != "__init__" or not method.is_method or method.outer is None:
        return False
    kind = Class(place.file, method.outer)
    built = wrapped.scope.outer
    if built is None or not any(isinstance(one, Class) and one.scope is built for one in family(ev, kind)):
        return False
    return method.name != "__init__" and _Order(ev, kind, wrapped).comes_before(method.name, frozenset())


class _Order:
    """What runs before a wrapping, in the constructor of a class or of a base of it."""

    def __init__(self, ev: Evaluator, kind: Class, wrapped: Place) -> None:
        self._ev = ev
        self._wrapped = wrapped
        bases = [one for one in family(ev, kind) if isinstance(one, Class)]
        self._kinds = dict.fromkeys((*bases, *ev.subclasses(kind)))
        self._files: dict[ParsedFile, None] = dict.fromkeys(one.file for one in self._kinds)

    def comes_before(self, name: str, seen: frozenset[str]) -> bool:
        """Tell whether every call of a method of the object is made before the wrapping, and there is one."""
        if len(seen) > FAR or self._is_called_by_others(name):
            return False
        seen |= {name}
        calls = [call for call in self._own_calls(name) if call.scope.name not in seen]
        return bool(calls) and all(self._is_before(call, seen) for call in calls)

    def _is_before(self, call: Place, seen: frozenset[str]) -> bool:
        scope = call.scope
        if scope is self._wrapped.scope:
            around = set(loops_of(call.file.index, self._wrapped.statement))
            together = around.intersection(loops_of(call.file.index, call.statement))
            return call.line < self._wrapped.line and not together
        return scope.name != "__init__" and self.comes_before(scope.name, seen)

    def _own_calls(self, name: str) -> Iterator[Place]:
        """Yield the calls of a method on the object itself."""
        scopes = {one.scope for one in self._kinds}
        for file in self._files:
            for call, statement in file.index.calls(name):
                place = Place(file, call, statement)
                if place.scope.is_method and place.scope.outer in scopes and self._is_own(call):
                    yield place

    def _is_own(self, call: ast.Call) -> bool:
        """Tell whether a call is `self.load()`, `super().load()` or `Base.load(self)`."""
        match call.func:
            case ast.Attribute(value=ast.Name(id="self")):
                return True
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                return True
            case ast.Attribute(value=owner):
                return any(last_name(owner) == one.scope.name for one in self._kinds)
            case _:
                return False

    def _is_called_by_others(self, name: str) -> bool:
        """Tell whether the method may be called on the object from outside, or passed on by its name."""
        library = self._ev.project.library
        for path in library.holding(f".{name}"):
            file = self._ev.project.parsed(path)
            for node, statement in file.attribute_reads(name) if file is not None else ():
                assert file is not None
                if self._may_be_of_object(Place(file, node, statement), name):
                    return True
        return False

    def _may_be_of_object(self, read: Place, name: str) -> bool:
        """Tell whether `x.load` may be the method of such an object: `x` is one, or unknown."""
        assert isinstance(read.expression, ast.Attribute)
        parent = read.parent
        call = parent.expression if parent is not None else None
        is_called = isinstance(call, ast.Call) and call.func is read.expression
        if is_called and isinstance(call, ast.Call) and self._is_own(call):
            return False
        owners = self._ev.evaluate(read.at(read.expression.value))
        return any(self._is_object(one, name) for one in owners)

    def _is_object(self, one: Possibility, name: str) -> bool:
        match one.value:
            case Instance(kind=kind):
                return kind in self._kinds and method_of(self._ev, kind, name) is not None
            case Unknown():
                return name not in _OF_MANY
            case _:
                return False
