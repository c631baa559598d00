"""What a class leaves to its subclasses: abstract methods, and attributes that only they set."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.attributes.object_attributes import attribute_of_instance
from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Class, Function, Instance, Literal, Possibility, Value, ValueSet
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_MOST_FILES = 40
# So many subclasses determine what a value may be.
_MOST_SUBCLASSES = 8


def subclasses_of(ev: Evaluator, kind: Class) -> tuple[Class, ...]:
    """Return the classes of the project that have a class as a base, near or far, each before those below it."""
    found: dict[Class, None] = {}
    waiting = [(one, 1) for one in reversed(list(_below(ev, kind)))]
    while waiting:
        one, level = waiting.pop()
        if one not in found:
            found[one] = None
            below = _below(ev, one) if level < NESTED else ()
            waiting += reversed([(further, level + 1) for further in below])
    return tuple(found)


def _below(ev: Evaluator, kind: Class) -> Iterator[Class]:
    """Yield the classes that name a class as a base, and have it as one."""
    paths = ev.project.library.inheriting(kind.scope.name)
    for path in list(paths)[:_MOST_FILES]:
        if (file := ev.project.parsed(path)) is None:
            continue
        for scope in file.with_base(file.words_for((kind.scope.name,))):
            found = Class(file, scope)
            if kind in list(family(ev, found))[1:]:
                yield found


def left_to_subclasses(ev: Evaluator, place: Place, owner: Possibility, name: str, found: ValueSet) -> ValueSet:
    """Return what an attribute of an object may be in a subclass, if its class does not define it or says `abstract`.

    None alone is a declaration as well: `self.model = None`. Of many subclasses, the first are enough; `overriding` has
    all.
    """
    if not isinstance(owner.value, Instance) or owner.origin is not None:
        return found
    if any(not _is_abstract(one.value) for one in found) and not _is_of_empty_property(ev, owner, name, found):
        if any(one.value != Literal(None) for one in found):
            return found
        return either(found, _in_subclasses(ev, place, owner, name, ev.subclasses(owner.value.kind)))
    subclasses: Iterable[Class] = ev.subclasses(owner.value.kind)
    if found:
        subclasses = [kind for kind, _ in _with_own(ev, owner, name)] or subclasses
    return _in_subclasses(ev, place, owner, name, subclasses) or _unless_empty(found)


def _in_subclasses(ev: Evaluator, place: Place, owner: Possibility, name: str, subclasses: Iterable[Class]) -> ValueSet:
    owners = [owner.of_value(Instance(kind)) for kind in islice(subclasses, _MOST_SUBCLASSES)]
    values = either(*(attribute_of_instance(ev, place, one, name) for one in owners))
    return tuple(one for one in values if not _is_abstract(one.value))


def _unless_empty(found: ValueSet) -> ValueSet:
    """Return what an abstract class has itself: no more is known than its methods, if it has a property instead."""
    return found if all(isinstance(one.value, Function) for one in found) else UNKNOWN


def _is_of_empty_property(ev: Evaluator, owner: Possibility, name: str, found: ValueSet) -> bool:
    """Tell whether an attribute is None because a property has no body: `device` of an abstract class."""
    if any(one.value != Literal(None) for one in found) or not isinstance(owner.value, Instance):
        return False
    method = method_of(ev, owner.value.kind, name, owner)
    return method is not None and _is_abstract(method)


def overriding(ev: Evaluator, owner: Possibility, name: str) -> Iterator[Function]:
    """Yield the methods of subclasses that implement an abstract one of an object's class."""
    if isinstance(owner.value, Instance) and owner.origin is None:
        method = method_of(ev, owner.value.kind, name)
        if method is not None and _is_abstract(method):
            yield from (own for _, own in _with_own(ev, owner, name))


def further_overriding(ev: Evaluator, function: Place, found: ValueSet) -> Iterator[Function]:
    """Yield the methods of subclasses that `self.compute` may be besides the known callees."""
    known = {one.value.scope for one in found if isinstance(one.value, Function)}
    if len(known) < _MOST_SUBCLASSES or not isinstance(function.expression, ast.Attribute):
        return
    for owner in ev.evaluate(function.at(function.expression.value)):
        for one in overriding(ev, owner, function.expression.attr):
            if one.scope not in known:
                yield one


def _with_own(ev: Evaluator, owner: Possibility, name: str) -> Iterator[tuple[Class, Function]]:
    """Yield the subclasses that implement an abstract method, each such method once."""
    assert isinstance(owner.value, Instance)
    seen: set[Scope] = set()
    for kind in ev.subclasses(owner.value.kind):
        method = method_of(ev, kind, name, owner.of_value(Instance(kind)))
        if method is not None and method.scope not in seen and not _is_abstract(method):
            seen.add(method.scope)
            yield kind, method


def _is_abstract(value: Value) -> bool:
    """Tell whether a method's body is empty: a docstring, `pass`, `…`, `raise NotImplementedError`."""
    if not isinstance(value, Function):
        return False
    for statement in value.scope.node.body:
        if _is_refusal(statement):
            return True
        if not isinstance(statement, ast.Pass) and not _is_constant(statement):
            return False
    return True


def _is_constant(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_refusal(statement: ast.stmt) -> bool:
    match statement:
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
            return name == "NotImplementedError"
        case _:
            return False
