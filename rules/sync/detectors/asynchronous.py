"""Asynchronous copies without a wait: to the host, where they are read too early, and from pageable memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.devices.moving import moved_to
from torchlint.model.place import Place
from torchlint.model.roles import is_made_as
from torchlint.model.tensors.collating import may_pin
from torchlint.model.tensors.loader_arguments import loader_argument
from torchlint.model.values.def_use import Use, ancestors, uses_of
from torchlint.model.values.value_sets import HOST, Possibility, Tensor
from torchlint.pytorch.metadata import METADATA
from torchlint.pytorch.roles import Role
from torchlint.pytorch.views import OF_CONTIGUOUS, VIEWS
from torchlint.syntax.around import loops_around
from torchlint.syntax.last_names import last_name

from .queued import Effect, effect_of
from .waiting import may_be_on_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# These read nothing of a tensor that is computed on the GPU.
_LOOKING_ON = METADATA | VIEWS | {"reshape", "append", "extend", "items", "values", "keys", "get"}
_SAME_TENSOR = {"device", "non_blocking"}
_READING = ("torch.", "numpy.")
_READING_BUILTINS = frozenset(
    f"builtins.{name}" for name in ("float", "int", "bool", "print", "str", "sum", "max", "min")
)


@dataclass(frozen=True, slots=True)
class UnfinishedCopy:
    """An asynchronous copy to the host, and where it is read before it is done."""

    call: Call
    read: Place


@dataclass(frozen=True, slots=True)
class PageableCopy:
    """A non-blocking copy to a GPU, and the loader whose batches are not pinned."""

    call: Call
    loader: Place


def unfinished_copies(ev: Evaluator, file: ParsedFile) -> Iterator[UnfinishedCopy]:
    """Yield the copies to the host that are read before anything has waited for them."""
    for call in non_blocking(file, "to"):
        if call.owner is None or moved_to(ev, call, "to", None) != HOST:
            continue
        possible = ev.evaluate(call.owner)
        if not may_be_on_device(possible) or any(is_module(ev, one.value) for one in possible):
            continue
        if (read := next(_early_reads(ev, call), None)) is not None:
            yield UnfinishedCopy(call, read)


def pageable_copies(ev: Evaluator, file: ParsedFile) -> Iterator[PageableCopy]:
    """Yield the copies of batches to a GPU whose loader does not pin them; one for each loader and loop."""
    seen: set[tuple[object, ...]] = set()
    for call in non_blocking(file, "to", "cuda"):
        if call.owner is None or (call.method == "to" and moved_to(ev, call, "to", None) == HOST):
            continue
        possible = ev.evaluate(_shaped(call.owner))
        loaders = [loader for one in possible if (loader := _unpinned_loader(ev, one)) is not None]
        loop = next(loops_around(call), None)
        if not possible or len(loaders) < len(possible) or (loaders[0].key, loop) in seen:
            continue
        seen.add((loaders[0].key, loop))
        yield PageableCopy(call, loaders[0])


def non_blocking(file: ParsedFile, *words: str) -> Iterator[Call]:
    """Yield the calls of methods with these names that pass `non_blocking=True`."""
    for call in method_calls_of(file, frozenset(words)):
        flag = call.keywords.get("non_blocking")
        if flag is not None and flag.literals == (True,):
            yield call


def _shaped(tensor: Place) -> Place:
    """Return the tensor that another one has its memory from: `batch` for `batch.contiguous()`."""
    match tensor.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in OF_CONTIGUOUS:
            return _shaped(tensor.at(owner))
        case _:
            return tensor


def _unpinned_loader(ev: Evaluator, one: Possibility) -> Place | None:
    """Return the loader that a batch comes from, if that surely does not pin its batches."""
    if not isinstance(one.value, Tensor) or one.value.device != HOST or one.origin is None:
        return None
    call = call_at(one.origin)
    if call is None or call.is_open:
        return None
    if not any(is_made_as(ev, made.value, Role.LOADER) for made in ev.evaluate(call)):
        return None
    collate = loader_argument(call, "collate_fn")
    if collate is not None and may_pin(ev, collate):
        return None
    pinned = loader_argument(call, "pin_memory")
    return call if pinned is None or pinned.literals == (False,) else None


def _early_reads(ev: Evaluator, copy: Call) -> Iterator[Place]:
    """Yield where the copy is read, without a wait in between."""
    for use in _all_uses(ev, copy):
        if _is_read(ev, use) and not _is_waited_for(ev, copy, use.place):
            yield use.place


def _all_uses(ev: Evaluator, copy: Place) -> Iterator[Use]:
    """Yield the reads of a value and of the list that it is added to."""
    for use in uses_of(ev, copy):
        if use.is_whole:
            yield use
        match next(ancestors(use.place), None):
            case (ast.Call(func=ast.Attribute(value=container, attr="append" | "add" | "insert")), _) if use.is_whole:
                yield from _of_container(use.place.at(container))


def _of_container(container: Place) -> Iterator[Use]:
    """Yield the reads of a list by its name, further down in the function."""
    if not isinstance(container.expression, ast.Name):
        return
    for statement, (block, _) in container.file.index.home.items():
        if block.scope is container.scope and statement.lineno > container.line:
            for node in container.file.parents_in(statement):
                if isinstance(node, ast.Name) and node.id == container.expression.id:
                    yield Use(Place(container.file, node, statement), True)


def _is_read(ev: Evaluator, use: Use) -> bool:
    """Tell whether the host reads the numbers themselves: compares, computes with, shows, iterates over them."""
    around = list(islice(ancestors(use.place), 2))
    parent, child = around[0] if around else (None, None)
    match parent:
        case ast.Attribute(attr="to" | "cuda" as name) if isinstance(call := around[-1][0], ast.Call):
            return _is_converted(ev, use.place.at(call), name)
        case ast.Attribute(attr=name):
            return name not in _LOOKING_ON
        case ast.BinOp() | ast.Compare() | ast.FormattedValue() | ast.comprehension() | ast.For():
            return True
        case ast.Call(func=function) if child is not function:
            names = use.place.at(function).names
            return any(name.startswith(_READING) or name in _READING_BUILTINS for name in names)
        case _:
            return False


def _is_converted(ev: Evaluator, call: Place, name: str) -> bool:
    """Tell whether moving a copy on the host reads it: to make one there, as of another dtype.

    A copy to the GPU waits in the queue behind the one that it copies, and `.to("cpu")` returns the same tensor.
    """
    assert isinstance(call.expression, ast.Call)
    further = [*call.expression.args[1:], *(one for one in call.expression.keywords if one.arg not in _SAME_TENSOR)]
    return moved_to(ev, call, name, HOST) == HOST and (bool(further) or moved_to(ev, call, name, None) is None)


def _is_waited_for(ev: Evaluator, copy: Call, read: Place) -> bool:
    """Tell whether anything waits between a copy and a read, or may do so if they are in different functions."""
    if read.scope is copy.scope and read.file is copy.file:
        return any(
            _waits(ev, call) for call in _calls(copy) if copy.line <= call.line < read.line and call.key != copy.key
        )
    after = any(_waits(ev, call) for call in _calls(copy) if call.line >= copy.line and call.key != copy.key)
    return after or any(_waits(ev, call) for call in _calls(read) if call.line < read.line)


def _calls(place: Place) -> Iterator[Place]:
    for call, statement in place.file.calls_in_scope(place.scope):
        yield Place(place.file, call, statement)


def _waits(ev: Evaluator, call: Place) -> bool:
    assert isinstance(call.expression, ast.Call)
    name = last_name(call.expression.func)
    return "sync" in name or name in {"wait", "query", "join", "result"} or effect_of(ev, call) is Effect.WAITS
