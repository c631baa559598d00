"""Whether a program takes the wrapper off a module on another path to a read: it may have none on this one.

After `inner = accelerator.unwrap_model(model) if accelerator is not None else model`, no path reads the wrapper.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.tensors.scalars import definitions
from torchlint.model.values.def_use import Use, ancestors
from torchlint.pytorch.companions.accelerate import UNWRAPPING
from torchlint.pytorch.symbols import DISTRIBUTED
from torchlint.pytorch.wrappers import wrapped_as
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_UNWRAPPING = {wrapped_as(DISTRIBUTED), *(name.rpartition(".")[2] for name in UNWRAPPING)}


def is_unwrapped_on_another_path(ev: Evaluator, use: Use) -> bool:
    """Tell whether where a value came from, something else might have: the value without its wrapper."""
    step: Use | None = use
    while step is not None:
        if any(_unwraps(other) for other in _alternatives(ev, step)):
            return True
        step = step.before
    return False


def _alternatives(ev: Evaluator, use: Use) -> Iterator[ast.AST]:
    """Yield the other arms around a value, the other definitions of its name, and the other results it returns with."""
    place = use.place
    for parent, child in ancestors(place):
        if isinstance(parent, ast.IfExp) and child is not parent.test:
            yield parent.orelse if child is parent.body else parent.body
    if isinstance(place.expression, ast.Name):
        yield from (one.value for one in definitions(ev, place) if one.value is not None)
    if isinstance(place.statement, ast.Return):
        yield from (one for one in place.scope.returns if one is not place.statement)


def _unwraps(node: ast.AST) -> bool:
    """Tell whether code names what takes a wrapper off: `accelerator.unwrap_model(model)`, `model.module`."""
    return any(
        (isinstance(one, ast.Attribute) and one.attr in _UNWRAPPING)
        or (isinstance(one, ast.Name) and one.id in _UNWRAPPING)
        for one in walk(node)
    )
