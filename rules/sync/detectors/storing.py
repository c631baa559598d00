"""What is added to something that outlives the step: a list, a table, a tensor that is added to in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.pytorch.in_place import ADDING
from torchlint.syntax.last_names import last_name, root_of, without_call
from torchlint.syntax.walk import written

from .additions import Addition

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

# How many arguments each takes; the last is added to the list.
_INTO_LISTS = {"append": 1, "appendleft": 1, "extend": 1, "insert": 2}
_RECORDS = frozenset({"namedtuple", "NamedTuple", "dataclass"})
_IN_PLACE = tuple(f"{name}_" for name in ADDING)


def parts_of(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the items of a display, nested ones too: both of `(step, loss)`; else the value itself."""
    match value:
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items) | ast.Dict(values=items):
            for item in items:
                yield from parts_of(item)
        case ast.Starred():
            pass
        case _:
            yield value


def stored(file: ParsedFile) -> Iterator[Addition]:
    """Yield what the statements of a file add to lists, under keys, and to tensors."""
    for name, count in _INTO_LISTS.items():
        for place, call, owner in _calls(file, name):
            is_whole = name != "extend" or isinstance(call.args[0], (ast.List, ast.Tuple)) if call.args else False
            if is_whole and len(call.args) == count:
                for part in parts_of(call.args[-1]):
                    yield from (Addition(place, place.at(one), written(owner)) for one in _fields_of(file, part))
    yield from _under_keys(file)
    for name in _IN_PLACE:
        for place, call, owner in _calls(file, name):
            if call.args and (changed := _changed(owner)) is not None:
                yield Addition(place, place.at(call.args[0]), written(changed))


def _fields_of(file: ParsedFile, value: ast.expr) -> list[ast.expr]:
    """Return the fields of a record that is made in the argument: `steps.append(Step(obs, loss))`; else the value."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or not _is_record(file, value.func.id):
        return [value]
    given = (*value.args, *(word.value for word in value.keywords))
    return [one.value if isinstance(one, ast.Starred) else one for one in given]


def _is_record(file: ParsedFile, name: str) -> bool:
    """Tell whether a name of the file is a named tuple or a data class, which stores all its arguments."""
    for one in file.index.scope.bindings.get(name, ()):
        if isinstance(one.value, ast.Call) and last_name(one.value.func) in _RECORDS:
            return True
        if one.scope is not None and isinstance(one.scope.node, ast.ClassDef):
            above = (*one.scope.node.bases, *one.scope.decorators)
            if any(last_name(without_call(node)) in _RECORDS for node in above):
                return True
    return False


def _under_keys(file: ParsedFile) -> Iterator[Addition]:
    """Yield what is stored under a key: `seen[step] = loss`, `seen.update({step: loss})`."""
    for statement in file.index.statements(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=key) as target], value=value) if _is_open(key):
                place = Place(file, target, statement)
                yield from (Addition(place, place.at(part), written(owner), key) for part in parts_of(value))
    for place, call, owner in _calls(file, "update"):
        match call.args:
            case [ast.Dict(keys=keys, values=values)]:
                for under, one in zip(keys, values, strict=True):
                    if under is not None and _is_open(under):
                        yield from (Addition(place, place.at(part), written(owner), under) for part in parts_of(one))


def _is_open(key: ast.expr) -> bool:
    """Tell whether a key may be another one in each iteration."""
    return isinstance(key, (ast.Name, ast.Attribute)) or (isinstance(key, ast.Tuple) and any(map(_is_open, key.elts)))


def _calls(file: ParsedFile, name: str) -> Iterator[tuple[Place, ast.Call, ast.expr]]:
    for call, statement in file.index.calls(name):
        if isinstance(call.func, ast.Attribute):
            yield Place(file, call, statement), call, call.func.value


def _changed(node: ast.expr) -> ast.expr | None:
    """Return the tensor that a chain of calls changes in place, None for a view of it that keeps no graph."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=name)):
            return _changed(inner) if name.endswith("_") and not name.endswith("__") else None
        case ast.Attribute(attr="data" | "grad"):
            return None
        case ast.Subscript(value=inner):
            return node if _changed(inner) is not None else None
        case _:
            return node if isinstance(root_of(node), ast.Name) else None
