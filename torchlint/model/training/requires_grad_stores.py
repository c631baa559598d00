"""Tensors whose `requires_grad` is set after they were made: `x.requires_grad = True`, `x.requires_grad_()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.tensors.scalars import definitions
from torchlint.syntax.arguments import passed
from torchlint.syntax.walk import is_written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def requires_grad_stores(file: ParsedFile, wanted: bool) -> Iterator[Place]:
    """Yield the tensors whose `requires_grad` a file sets to `wanted`, by a statement or a call with a constant.

    `x.requires_grad = trains` may be either, and does not count.
    """
    for store in file.index.attribute_stores("requires_grad"):
        if wanted is (isinstance(store.value, ast.Constant) and bool(store.value.value)):
            yield Place(file, store.target, store.statement)
    for call, statement in file.index.calls("requires_grad_"):
        flag = passed(call, "requires_grad", 0)
        is_wish = flag is None or (isinstance(flag, ast.Constant) and bool(flag.value))
        if wanted is is_wish and isinstance(call.func, ast.Attribute):
            yield Place(file, call.func.value, statement)


def is_set_before(ev: Evaluator, place: Place) -> Place | None:
    """Return where a name's `requires_grad` is set on every path to a place, without a rebinding in between."""
    if not isinstance(place.expression, ast.Name):
        return None
    index = place.file.index
    around = dict(index.blocks_around(place.statement))
    for asked in requires_grad_stores(place.file, True):
        block, position = index.home[asked.statement]
        is_before = block in around and position < around[block]
        if is_before and is_written(asked.expression, place.expression.id) and _is_same(ev, asked, place):
            return asked
    return None


def _is_same(ev: Evaluator, asked: Place, place: Place) -> bool:
    """Tell whether a name has at both places the value of one statement, except for changes in place."""
    there, here = ([one for one in definitions(ev, at) if one.kind != "augment"] for at in (asked, place))
    return bool(here) and there == here and all(one.kind == "assign" for one in here)
