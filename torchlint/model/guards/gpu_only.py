"""Classes, functions and branches for machines with CUDA alone: a plugin for FSDP, a layer in FP8, a backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class
from torchlint.pytorch.needs_cuda import GPU_PACKAGES
from torchlint.syntax.around import class_around, function_around
from torchlint.syntax.binding import modules_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


def is_gpu_only(place: Place) -> bool:
    """Tell whether a method of the class around a place, or else its function, imports such a package.

    An import of the file may be used conditionally, and so may one under a test: that one must dominate the place.
    """
    owner = class_around(place) or function_around(place)
    if owner is None:
        return False
    names = (*_imported_before(place), *_imported(place.file, owner))
    return any(name.startswith(GPU_PACKAGES) for name in names)


def _imported_before(place: Place) -> Iterator[str]:
    """Yield what the function around a place has surely imported when it is reached."""
    index = place.file.index
    around = dict(index.blocks_around(place.statement))
    for statement in index.imports:
        block, position = index.home[statement]
        if position < around.get(block, 0):
            yield from modules_of(statement)


def is_of_backend(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place is in a class that says when it can be used: `is_available()` returns that there is CUDA.

    Code that chooses among several such classes asks each.
    """
    kind = class_around(place)
    asked = method_of(ev, Class(place.file, kind), "is_available") if kind is not None else None
    if asked is None:
        return False
    answers = [Place(asked.file, one.value, one) for one in asked.scope.returns if one.value is not None]
    return bool(answers) and all(ev.truth(one) is False for one in answers)


def _imported(file: ParsedFile, owner: Scope) -> Iterator[str]:
    """Yield the imports in the functions of a scope."""
    for statement in file.index.imports:
        block, _ = file.index.home[statement]
        if block.scope.kind == "function" and block.owner is block.scope.node and _is_within(block.scope, owner):
            yield from modules_of(statement)


def _is_within(scope: Scope, owner: Scope) -> bool:
    return scope is owner or scope.outer is owner
