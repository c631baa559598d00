"""What a class leaves to its subclasses: abstract methods, and attributes that only they set."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.attributes.object_attributes import attribute_of_instance
from torchlint.model.linking.classes import family
from torchlint.model.place import Place
from torchlint.model.syntax.last_names import last_name
from torchlint.model.values.possible import Class, Function, Instance, Possibility, Possible, Value, either

if TYPE_CHECKING:
    from torchlint.model.values.evaluator import Evaluator

_MOST_FILES = 40
_MOST_SUBCLASSES = 8
_DEEPEST = 4


def subclasses_of(ev: Evaluator, kind: Class) -> tuple[Class, ...]:
    """Return the classes of the project that have a class as a base, near or far."""
    return tuple(dict.fromkeys(_below(ev, kind, 0)))


def _below(ev: Evaluator, kind: Class, depth: int) -> Iterator[Class]:
    paths = ev.project.library.inheriting(kind.scope.name)
    for path in list(paths)[:_MOST_FILES] if depth < _DEEPEST else ():
        if (file := ev.project.parsed(path)) is None:
            continue
        words = file.words_for((kind.scope.name,))
        for scope in file.index.scopes:
            bases = scope.node.bases if isinstance(scope.node, ast.ClassDef) else []
            found = Class(file, scope)
            if any(last_name(base) in words for base in bases) and kind in list(family(ev, found))[1:]:
                yield found
                yield from _below(ev, found, depth + 1)


def left_to_subclasses(ev: Evaluator, place: Place, owner: Possibility, name: str, found: Possible) -> Possible:
    """Return what an attribute of an object may be in a subclass, where its class does not say or says `abstract`."""
    if not isinstance(owner.value, Instance) or owner.origin is not None:
        return found
    if any(not _is_abstract(one.value) for one in found):
        return found
    subclasses = ev.subclasses(owner.value.kind)[:_MOST_SUBCLASSES]
    owners = [owner.of_value(Instance(kind)) for kind in subclasses]
    overriding = either(*(attribute_of_instance(ev, place, one, name) for one in owners))
    return tuple(one for one in overriding if not _is_abstract(one.value)) or found


def _is_abstract(value: Value) -> bool:
    """Tell whether a method has nothing in it: a docstring, `pass`, `…`, `raise NotImplementedError` and behind."""
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
