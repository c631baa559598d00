"""Dicts whose items are set as attributes: `self.__dict__.update(defaults)`, `setattr(self, key, value)` in a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

# These have the same items as their one argument.
_COPYING = frozenset({"dict", "list", "sorted", "tuple"})


@dataclass(frozen=True, slots=True)
class Filling:
    """A dict, the object whose attributes its items become, and the statement that sets them."""

    mapping: ast.expr
    receiver: ast.expr
    statement: ast.stmt
    is_renamed: bool = False
    """Whether the attributes have other names than the keys: `setattr(self, "_" + key, value)`."""


def fillings(file: ParsedFile) -> Iterator[Filling]:
    """Yield the dicts of a file whose items are set as attributes of something."""
    for call, statement in file.index.calls("update"):
        if isinstance(call.func, ast.Attribute) and (receiver := _whose_dict(call.func.value)) is not None:
            yield from (Filling(one, receiver, statement) for one in call.args if not isinstance(one, ast.Starred))
            yield Filling(file.keywords_of(call), receiver, statement)
    for call, statement in file.index.calls("setattr"):
        if len(call.args) == 3:
            yield from _set_in_loop(file, call, statement)


def _whose_dict(node: ast.expr) -> ast.expr | None:
    match node:
        case ast.Attribute(value=receiver, attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[receiver]):
            return receiver
        case _:
            return None


def _set_in_loop(file: ParsedFile, call: ast.Call, statement: ast.stmt) -> Iterator[Filling]:
    """Yield the dict of `for key, value in mapping.items(): setattr(self, key, value)`, or `mapping[key]` there."""
    receiver, name, value = call.args
    for block, _ in file.index.blocks_around(statement):
        match block.owner:
            case ast.For(target=ast.Tuple(elts=[key, item]), iter=source) if written(item) == written(value):
                if (mapping := _of_items(source)) is not None:
                    yield Filling(mapping, receiver, block.owner, written(key) != written(name))
            case ast.For(target=key) if isinstance(value, ast.Subscript) and written(value.slice) == written(key):
                yield Filling(value.value, receiver, block.owner, written(key) != written(name))


def _of_items(node: ast.expr) -> ast.expr | None:
    """Return the dict whose items are looped over."""
    match node:
        case ast.Call(func=ast.Attribute(value=mapping, attr="items"), args=[]):
            return mapping
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _COPYING:
            return _of_items(inner)
        case _:
            return None


def copied(node: ast.expr) -> ast.expr:
    """Return what a dict is a copy of, or a copy of some items of: `{k: v for k, v in mapping.items() if v}`."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[]):
            return copied(inner)
        case ast.Call(func=ast.Name(id="dict"), args=[inner], keywords=[]):
            return copied(inner)
        case ast.DictComp(key=key, value=value, generators=[ast.comprehension(target=ast.Tuple(elts=pair), iter=of)]):
            mapping = _of_items(of)
            is_same = [written(one) for one in pair] == [written(key), written(value)]
            return copied(mapping) if mapping is not None and is_same else node
        case _:
            return node
