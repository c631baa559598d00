"""Which statements take the module out of a wrapper: they read `model.module`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.walk import is_written, walk, written

if TYPE_CHECKING:
    from torchlint.model.place import Place


def failed_attempts(place: Place) -> Iterator[list[ast.stmt]]:
    """Yield the bodies of the `try`s whose `except AttributeError` contains a place."""
    for block, _ in place.file.index.blocks_around(place.statement):
        if isinstance(block.owner, ast.ExceptHandler) and isinstance(block.outer, ast.Try):
            caught = written(block.owner.type) if block.owner.type is not None else "AttributeError"
            if "AttributeError" in caught or caught in {"Exception", "BaseException"}:
                yield block.outer.body


def takes_module(body: Iterable[ast.AST], text: str) -> bool:
    """Tell whether statements read `….module`: if a `try` failed to, there was none."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == "module" and is_written(node.value, text)
        for part in body
        for node in walk(part)
    )
