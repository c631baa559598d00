"""Attributes that come out of a dict: `self.__dict__.update(defaults)`, `setattr(self, key, value)` in a loop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from torchlint.model.classes import family
from torchlint.model.device_words import is_about_device
from torchlint.model.frame import Frame
from torchlint.model.index import Index
from torchlint.model.place import Place
from torchlint.model.scope import Scope
from torchlint.model.values import UNKNOWN, Class, Display, Instance, Possibility, Possible, either
from torchlint.model.walk import written

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator

_FrameOf: TypeAlias = "Callable[[Scope, Possibility], Frame | None]"


def filled_in_bulk(ev: Evaluator, owner: Possibility, name: str, frame_of: _FrameOf) -> Possible:
    """Return what an object's attribute about devices may be that comes out of a dict that is written down somewhere.

    On other settings little depends, and a class of these may be given the dicts of a whole project.
    """
    if not is_about_device(name):
        return ()
    assert isinstance(owner.value, Instance)
    found: list[Possible] = []
    is_open = False
    for kind in filter(_is_of_project, family(ev, owner.value.kind)):
        for node, statement, method in _sources(kind):
            for one in ev.evaluate(Place(kind.file, node, statement, frame_of(method, owner))):
                keys = _keys(one)
                if name in keys:
                    found.append(ev.item((one, name)))
                else:
                    is_open |= None in keys
    # Of what nobody sees, such as the `**kwargs` of callers elsewhere, options about devices are as nobody set them.
    if found and is_open and not ev.world.defaults:
        found.append(UNKNOWN)
    return either(*found)


def _is_of_project(kind: Class | str) -> TypeGuard[Class]:
    return isinstance(kind, Class)


def _keys(mapping: Possibility) -> frozenset[object]:
    """Return the keys of a dict, among them None where there may be more."""
    node = mapping.value.place.expression if isinstance(mapping.value, Display) else None
    if not isinstance(node, ast.Dict):
        return frozenset({None})
    return frozenset(key.value if isinstance(key, ast.Constant) else None for key in node.keys)


def _sources(kind: Class) -> Iterator[tuple[ast.expr, ast.stmt, Scope]]:
    """Yield the dicts whose items the methods of a class make attributes of `self`, and in which method."""
    index = kind.file.index
    for call, statement in index.calls("update"):
        method = index.home[statement][0].scope
        receiver = _receiver(method, kind)
        if isinstance(call.func, ast.Attribute) and _is_dict_of(call.func.value, receiver):
            yield from ((one, statement, method) for one in call.args if not isinstance(one, ast.Starred))
            yield kind.file.keywords_of(call), statement, method
    for call, statement in index.calls("setattr"):
        method = index.home[statement][0].scope
        if len(call.args) == 3 and written(call.args[0]) == _receiver(method, kind):
            for source, loop in _looped_over(index, statement, call):
                yield source, loop, method


def _receiver(method: Scope, kind: Class) -> str | None:
    is_own = method.kind == "function" and method.outer is kind.scope and bool(method.parameters)
    return method.parameters[0].name if is_own else None


def _is_dict_of(node: ast.expr, receiver: str | None) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr="__dict__"):
            return name == receiver
        case ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id=name)]):
            return name == receiver
        case _:
            return False


def _looped_over(index: Index, statement: ast.stmt, call: ast.Call) -> Iterator[tuple[ast.expr, ast.For]]:
    """Yield the dict of `for key, value in mapping.items(): setattr(self, key, value)`."""
    names = [written(one) for one in call.args[1:]]
    for block, _ in index.blocks_around(statement):
        match block.owner:
            case ast.For(target=ast.Tuple(elts=[key, value]), iter=ast.Call(func=ast.Attribute(attr="items") as of)):
                if [written(key), written(value)] == names:
                    yield of.value, block.owner
            case ast.For(target=key, iter=mapping) if names == [written(key), f"{written(mapping)}[{written(key)}]"]:
                yield mapping, block.owner
