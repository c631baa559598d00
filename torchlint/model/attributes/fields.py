"""Fields: the arguments of a dataclass or a NamedTuple become attributes, in a generated `__init__`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, imported_bases, method_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import UNKNOWN, Class, Instance, Possibility, ValueSet
from torchlint.syntax.arguments import has_open_keywords, has_star, is_flag, passed
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def is_dataclass(kind: Class) -> bool:
    """Tell whether a class has the decorator `dataclass`."""
    node = kind.scope.node
    return isinstance(node, ast.ClassDef) and any("dataclass" in written(one) for one in node.decorator_list)


def given_for_field(ev: Evaluator, owner: Possibility, name: str) -> ValueSet:
    """Return the argument that an object was made with for a field, bottom if it was left to its default.

    Arguments are bound as by the `__init__` that `dataclasses` generates: in the order of the annotations, bases first.
    """
    assert isinstance(owner.value, Instance)
    kind, origin = owner.value.kind, owner.origin
    if origin is None or not isinstance(origin.expression, ast.Call) or not _is_made_of_fields(ev, kind):
        return ()
    fields = list(dict.fromkeys(_fields(ev, kind)))
    if name not in fields or method_of(ev, kind, "__init__") is not None:
        return ()
    return _passed(ev, origin, origin.expression, name, fields.index(name))


def _passed(ev: Evaluator, origin: Place, call: ast.Call, name: str, position: int) -> ValueSet:
    for keyword in call.keywords:
        if keyword.arg == name:
            return ev.evaluate(origin.at(keyword.value))
    if has_star(call.args[: position + 1]):
        return UNKNOWN
    if position < len(call.args):
        return ev.evaluate(origin.at(call.args[position]))
    return UNKNOWN if has_open_keywords(call) else ()


def _is_made_of_fields(ev: Evaluator, kind: Class) -> bool:
    if any(isinstance(one, Class) and is_dataclass(one) for one in family(ev, kind)):
        return True
    return any(base in {"typing.NamedTuple", "typing_extensions.NamedTuple"} for base in imported_bases(ev, kind))


def _fields(ev: Evaluator, kind: Class) -> Iterator[str]:
    for one in reversed([one for one in family(ev, kind) if isinstance(one, Class)]):
        assert isinstance(one.scope.node, ast.ClassDef)
        for statement in one.scope.node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name)) if _is_given(statement):
                    yield name
                case _:
                    pass


def _is_given(field: ast.AnnAssign) -> bool:
    """Tell whether the generated `__init__` takes a field: not with `field(init=False)`, nor for a `ClassVar`."""
    if isinstance(field.value, ast.Call) and is_flag(passed(field.value, "init"), False):
        return False
    return "ClassVar" not in written(field.annotation)
