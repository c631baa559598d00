"""Calls by which a library takes a module over: `engine, *_ = deepspeed.initialize(…)`, `accelerator.prepare(…)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_anywhere
from torchlint.model.options.versions import is_from
from torchlint.model.place import Place
from torchlint.model.values.def_use import Use, uses_of
from torchlint.model.values.value_sets import Built, Function, Imported
from torchlint.pytorch.companions import TAKEOVERS
from torchlint.pytorch.kinds import Takeover
from torchlint.syntax.arguments import has_star
from torchlint.syntax.around import parent_of
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class Taken:
    """A call of what a library has taken over, and the call that gave it that."""

    call: Call
    by: Call
    row: Takeover
    way: frozenset[Scope | None]
    """The functions, and their classes, through which the module came to be called."""


def taken(ev: Evaluator) -> Iterator[Taken]:
    """Yield the calls of modules that a library has surely taken over, in all files of a project."""
    for row in TAKEOVERS:
        if row.hooks_since and is_from(ev.project, row.source.partition(" ")[0], row.hooks_since):
            continue
        for word in sorted({name.rpartition(".")[2] for name in row.names}):
            for by in calls_anywhere(ev.project, word):
                if _takes(ev, by, row):
                    yield from (Taken(call, by, row, way) for call, way in _called(ev, by, row))


def _takes(ev: Evaluator, call: Call, row: Takeover) -> bool:
    """Tell whether a call is surely one by which a library takes a module over."""
    if call.owner is not None and (owners := ev.evaluate(call.owner)):
        names = [f"{one.value.name}.{call.method}" for one in owners if isinstance(one.value, (Built, Imported))]
        if len(names) == len(owners):
            return row.names.issuperset(names)
    return bool(call.callee.names) and call.callee.names <= row.names


def _called(ev: Evaluator, by: Call, row: Takeover) -> Iterator[tuple[Call, frozenset[Scope | None]]]:
    """Yield the calls whose only callee is the result of a takeover, and the steps of its value to them."""
    for inside in _positions(by, row):
        uses = [use for use in uses_of(ev, by, inside) if use.is_whole]
        known = {use.place for use in uses}
        for use in uses:
            call = parent_of(use.place)
            is_called = isinstance(call, ast.Call) and call.func is use.place.expression and not use.inside
            if isinstance(call, ast.Call) and is_called and _is_sure(ev, use.place, by, known):
                yield Call(use.place.file, call, use.place.statement), frozenset(_way(use))


def _way(use: Use | None) -> Iterator[Scope | None]:
    while use is not None:
        yield use.place.scope
        if use.place.scope.is_method:
            yield use.place.scope.outer
        use = use.before


def _positions(by: Call, row: Takeover) -> Iterator[tuple[int, ...]]:
    """Yield where the modules may lie in what a takeover gives back: in a tuple, or by themselves."""
    assert isinstance(by.expression, ast.Call)
    if row.position is not None:
        yield (row.position,)
    elif not has_star(by.expression.args):
        count = len(by.expression.args)
        yield from ((position,) for position in range(count)) if count > 1 else ((),)


def _is_sure(ev: Evaluator, read: Place, by: Call, known: Set[Place]) -> bool:
    """Tell whether a read has what a takeover gave back, and nothing else; `known` are all such reads."""
    if not _choices(by) <= _choices(read):
        return False
    if not isinstance(read.expression, ast.Name):
        return True
    bindings = read.scope.bindings.get(read.expression.id, ())
    found = reaching(read.file.index, bindings, read.statement, ev.decide(read)).definitions
    if any(one.kind == "parameter" for one in found):
        return _is_given(ev, read, known)
    return read.scope is not by.scope or {one.statement for one in found} <= {one.statement for one in known}


def _is_given(ev: Evaluator, read: Place, known: Set[Place]) -> bool:
    """Tell whether each caller of the function around a read passes what the takeover gave back."""
    parameter = next(one for one in read.scope.parameters if one.name == read.code)
    given = [caller.argument(parameter) for caller in ev.callers(Function(read.file, read.scope))]
    return all(places and all(place.within(None) in known for place in places) for places in given)


def _choices(place: Place) -> set[tuple[str, str]]:
    """Return the `if`s around a place, by their tests and arms; whether a file is run or imported is none."""
    blocks = (block for block, _ in place.file.index.blocks_around(place.statement))
    found = ((block.owner, block.arm) for block in blocks if isinstance(block.owner, ast.If))
    texts = ((place.file.text_of(owner.test), arm) for owner, arm in found)
    return {(text, arm) for text, arm in texts if not text.startswith("__name__")}
