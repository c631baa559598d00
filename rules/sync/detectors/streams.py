"""Tensors that cross from one CUDA stream to another without a wait."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Built, Function, Tensor
from torchlint.pytorch.streams import ENTERING, ORDERING_STREAMS, SYNCHRONIZE
from torchlint.pytorch.symbols import CUDA
from torchlint.syntax.around import parent_of
from torchlint.syntax.reaching_definitions import reaching

from .passed_on import is_only_looked_at, is_only_passed_on, viewed
from .queued import Effect, effect_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


_BLOCKS = tuple(sorted(name.rpartition(".")[2] for name in ENTERING))


@dataclass(frozen=True, slots=True)
class Crossing:
    """A tensor that is read on another stream than the one it was computed on."""

    read: Place
    made: Place
    reading: Place | None
    """The stream that reads, as the argument of the `with` around it; None for the default one."""
    making: Place | None


def unordered_crossings(ev: Evaluator, file: ParsedFile) -> Iterator[Crossing]:
    """Yield where a tensor crosses from one stream to another without synchronization."""
    blocks = list(_stream_blocks(ev, file))
    seen: set[tuple[str, ast.stmt | None, ast.stmt]] = set()
    for read in _reads(ev, file, blocks):
        assert isinstance(read.expression, ast.Name)
        for made in _made_elsewhere(ev, read, blocks):
            key = (read.expression.id, _around(read, blocks), made.statement)
            if key not in seen and _is_on_gpu(ev, made) and not _is_ordered(ev, made, read):
                seen.add(key)
                yield Crossing(read, made, _stream(read, blocks), _stream(made, blocks))


def _stream_blocks(ev: Evaluator, file: ParsedFile) -> Iterator[ast.With]:
    """Yield the `with torch.cuda.stream(s)` of a file in which `s` surely is a stream of its own."""
    for word in _BLOCKS:
        for call, statement in file.index.calls(word):
            place = Place(file, call, statement)
            if not isinstance(statement, ast.With) or not place.at(call.func).names & ENTERING or not call.args:
                continue
            stream = ev.evaluate(place.at(call.args[0]))
            if stream and all(isinstance(one.value, Built) and one.value.name.endswith(".Stream") for one in stream):
                yield statement


def _reads(ev: Evaluator, file: ParsedFile, blocks: list[ast.With]) -> Iterator[Place]:
    """Yield the reads of names, in source order, in the functions that enter a stream."""
    scopes = {file.index.home[block][0].scope for block in blocks}
    statements = [one for one, (block, _) in file.index.home.items() if block.scope in scopes]
    for statement in sorted(statements, key=lambda one: one.lineno):
        for node in file.parents_in(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                place = Place(file, node, statement)
                # Code that only passes a tensor on computes nothing with it.
                if parent_of(place) is not None and not _is_passed_on(ev, place):
                    yield place


def _is_passed_on(ev: Evaluator, read: Place) -> bool:
    return is_only_passed_on(ev, read) or is_only_looked_at(ev, read)


_NONE: tuple[Place, ...] = ()


def _made_elsewhere(ev: Evaluator, read: Place, blocks: list[ast.With]) -> Iterator[Place]:
    """Yield the calls and operations that made the value of a name, if they ran on another stream."""
    here = _around(read, blocks)
    for made in _computed(ev, read):
        if made.line < read.line and _around(made, blocks) is not here:
            yield made


@tabled(_NONE)
def _computed(ev: Evaluator, read: Place) -> tuple[Place, ...]:
    """Return what computed the tensor of a name, through views."""
    found: list[Place] = []
    bindings = read.scope.bindings.get(read.expression.id, ()) if isinstance(read.expression, ast.Name) else ()
    for binding in reaching(read.file.index, bindings, read.statement, ev.decide(read)).definitions:
        if binding.kind not in {"assign", "augment"} or binding.value is None:
            continue
        made = Place(read.file, binding.value, binding.statement)
        whole = made.at(viewed(binding.value))
        if isinstance(whole.expression, ast.Name) and whole.expression is not made.expression:
            found += _computed(ev, whole)
        elif isinstance(binding.value, (ast.Call, ast.BinOp)):
            found.append(made)
    return tuple(found)


def _around(place: Place, blocks: list[ast.With]) -> ast.With | None:
    """Return the innermost block of a stream around a place, None on the default stream."""
    for block, _ in place.file.index.blocks_around(place.statement):
        if isinstance(block.owner, ast.With) and block.owner in blocks:
            return block.owner
    return None


def _stream(place: Place, blocks: list[ast.With]) -> Place | None:
    """Return the argument of the `with` of a stream around a place."""
    block = _around(place, blocks)
    entered = block.items[0].context_expr if block is not None and len(block.items) == 1 else None
    if block is None or not isinstance(entered, ast.Call) or not entered.args:
        return None
    return Place(place.file, entered.args[0], block)


def _is_on_gpu(ev: Evaluator, made: Place) -> bool:
    possible = ev.evaluate(made)
    return bool(possible) and all(isinstance(one.value, Tensor) and one.value.device != HOST for one in possible)


def _is_ordered(ev: Evaluator, made: Place, read: Place) -> bool:
    """Tell whether anything between two places makes a stream or the host wait, or may do so."""
    for node, statement in made.file.calls_in_scope(made.scope):
        call = Place(made.file, node, statement)
        if not made.line <= call.line <= read.line or node is made.expression:
            continue
        if _orders(ev, call):
            return True
        if call.line < read.line and _may_wait(ev, call):
            return True
    return False


def _orders(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call makes one stream wait for another, or may: a method of streams, or a function with one."""
    assert isinstance(call.expression, ast.Call)
    if isinstance(call.expression.func, ast.Attribute) and call.expression.func.attr in ORDERING_STREAMS:
        return True
    return any(_orders_inside(ev, function) for function in ev.callees(call))


@tabled(False)
def _orders_inside(ev: Evaluator, function: Function) -> bool:
    return any(_orders(ev, Place(function.file, *one)) for one in function.file.calls_in_scope(function.scope))


def _may_wait(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call may make the host wait; entering a stream and making one do not."""
    assert isinstance(call.expression, ast.Call)
    names = call.at(call.expression.func).names
    if any(name.startswith(CUDA) and name != SYNCHRONIZE for name in names):
        return False
    return effect_of(ev, call) in {Effect.WAITS, Effect.UNKNOWN}
