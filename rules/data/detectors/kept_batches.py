"""Tensors of a loader's workers that a list keeps, each with a file descriptor of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.sync.detectors.additions import Addition
from rules.sync.detectors.starting import resets
from rules.sync.detectors.storing import stored
from torchlint.model.calls import Call
from torchlint.model.tensors.loader_arguments import loader_argument, loaders_of, may_start_workers
from torchlint.model.values.value_sets import Array, Literal, Tensor
from torchlint.model.worlds import BY_DEFAULT
from torchlint.pytorch.symbols import LOADER
from torchlint.pytorch.views import SHARED_ON_HOST
from torchlint.syntax.around import loops_around
from torchlint.syntax.walk import names_under

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class KeptBatch:
    """What is added to a list with each batch, and the loader that has workers."""

    value: Place
    list: str
    loader: Call
    is_sure: bool
    """Whether it is known to be a tensor: texts come without a file descriptor."""


def kept_batches(ev: Evaluator, file: ParsedFile) -> Iterator[KeptBatch]:
    """Yield where a file adds all tensors of a loader's workers to a list, in source order."""
    if ev.project.library.holding("set_sharing_strategy"):
        return
    for addition in stored(file):
        name = _shared(addition.value.expression) if addition.is_listed else None
        loop = _loop_of(addition, name) if name is not None else None
        if loop is not None and (loader := _loader_with_workers(ev, file, loop)) is not None:
            is_sure = all(isinstance(one.value, (Array, Tensor)) for one in ev.evaluate(addition.value))
            yield KeptBatch(addition.value, addition.container, loader, is_sure)


def _shared(node: ast.expr) -> str | None:
    """Return the name of which an expression is a part, or a view in the same memory."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Subscript(value=value, slice=ast.Constant()):
            return _shared(value)
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in SHARED_ON_HOST:
            return _shared(value)
        case _:
            return None


def _loop_of(addition: Addition, name: str) -> ast.For | None:
    """Return the loop whose every iteration adds what it names so to a list that was made before it."""
    place = addition.place
    loop = next(loops_around(place), None)
    if (
        not isinstance(loop, ast.For)
        or name not in names_under(loop.target)
        or place.file.index.home[place.statement][0].owner is not loop
    ):
        return None
    if any(isinstance(one, ast.Break) for one in ast.walk(loop)) or _is_bound_in(place, name, loop):
        return None
    return loop if _is_list_before(place, addition.container, loop) else None


def _is_bound_in(place: Place, name: str, loop: ast.For) -> bool:
    """Tell whether the body of a loop gives a name another value: `labels = labels.to(device)`."""
    statements = (one.statement for one in place.scope.bindings.get(name, ()))
    return any(place.file.index.is_in_body(one, loop) for one in statements)


def _is_list_before(place: Place, container: str, loop: ast.For) -> bool:
    """Tell whether a name is that of a list, empty at first, which the loop neither empties nor rebinds."""
    bindings = [one for one in place.scope.bindings.get(container, ()) if one.statement.lineno < loop.lineno]
    made = bindings[-1].value if bindings else None
    return (
        isinstance(made, ast.List)
        and not made.elts
        and not any(place.file.index.is_in_body(one, loop) for one in resets(place.file, container))
    )


def _loader_with_workers(ev: Evaluator, file: ParsedFile, loop: ast.For) -> Call | None:
    """Return the call that makes the loader of a loop, if that surely has workers and copies nothing."""
    loaders = loaders_of(ev, file, loop)
    return loaders[0] if loaders and all(one is not None and _has_workers(ev, one) for one in loaders) else None


def _has_workers(ev: Evaluator, made: Call) -> bool:
    """Tell whether a loader has workers by default, and does not copy their tensors into pinned memory."""
    workers, pinned = loader_argument(made, "num_workers"), loader_argument(made, "pin_memory")
    if made.is_open or LOADER not in made.callee.names or workers is None:
        return False
    is_pinned = pinned is not None and any(one.value != Literal(False) for one in ev.evaluate(pinned))
    return not is_pinned and may_start_workers(ev.project.evaluator(BY_DEFAULT), workers)
