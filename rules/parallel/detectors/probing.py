"""Whether a program finds out itself what an object has, before it reads an attribute of that, or as the read fails."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.values_of_names import with_values_of_names
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.syntax.scope import Block

_ASKING = ("hasattr", "getattr", ".__name__", ".__qualname__")
_MISSES = frozenset({"AttributeError", "Exception", "BaseException"})


def is_probed(place: Place, owner: str) -> bool:
    """Tell whether the program tests for the attribute first, handles its absence, or reads it as another is absent."""
    return _is_tested(place, owner) or any(
        _is_caught(block) or _is_after_miss(block, owner)
        for block, _ in place.file.index.blocks_around(place.statement)
    )


def _is_tested(place: Place, owner: str) -> bool:
    """Tell whether a test around a place asks what the owner has, itself or through a name: `has = hasattr(net, "x")`.

    The name of its class tells, too: `name = m.__class__.__name__`, `if name.find("Conv") != -1`. A name is only what
    another statement has bound to it, so that most tests cost one walk.
    """
    conditions = place.file.conditions_at(place.statement, place.expression)
    tests = (Place(place.file, test, one.statement) for one in conditions if (test := getattr(one, "test", None)))
    return any(_asks_for(node, owner) for test in tests for part in _parts(test) for node in walk(part.expression))


def _parts(test: Place) -> Iterable[Place]:
    return with_values_of_names(test) if any(map(test.file.says, _ASKING)) else (test,)


def _asks_for(node: ast.AST, owner: str) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="hasattr" | "getattr"), args=[subject, *_]):
            return written(subject) == owner
        case ast.Attribute(
            value=ast.Attribute(value=subject, attr="__class__") | ast.Call(func=ast.Name(id="type"), args=[subject]),
            attr="__name__" | "__qualname__",
        ):
            return written(subject) == owner
        case _:
            return False


def _is_caught(block: Block) -> bool:
    return isinstance(block.owner, ast.Try) and block.arm == "body" and any(map(_misses, block.owner.handlers))


def _is_after_miss(block: Block, owner: str) -> bool:
    """Tell whether a handler runs as the owner lacks what the `try` reads of it: then that is the other kind."""
    if not isinstance(block.owner, ast.ExceptHandler) or not isinstance(block.outer, ast.Try):
        return False
    return _misses(block.owner) and any(
        isinstance(node, ast.Attribute) and written(node.value) == owner
        for statement in block.outer.body
        for node in walk(statement)
    )


def _misses(handler: ast.ExceptHandler) -> bool:
    names = {node.id for node in walk(handler.type) if isinstance(node, ast.Name)} if handler.type else _MISSES
    return bool(names & _MISSES)
