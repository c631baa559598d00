"""Which functions of the project an operation runs: a call, an item, the length of an object, a property, a `with`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import run_by
from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.call_graph.properties import PropertyReads, getters_of
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.training.call_paths import frame_of
from torchlint.model.values.value_sets import Frame, Function, Imported, Instance
from torchlint.pytorch.graph_breaks import CALLING, OF_PYTHON

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class Run:
    """A function that an expression runs, and its frame there."""

    place: Place
    function: Function
    frame: Frame | None


class Runs:
    """What the functions of a project run themselves; each file is searched once."""

    def __init__(self, ev: Evaluator) -> None:
        self._ev = ev
        self._reads = PropertyReads(ev)
        self._entered: dict[ParsedFile, dict[Scope, list[Place]]] = {}

    def of(self, function: Function, frame: Frame | None) -> Iterator[Run]:
        """Yield what a function runs in a call context."""
        ev, file, scope = self._ev, function.file, function.scope
        for node, statement in file.operations_in_scope(scope):
            place = Place(file, node, statement, frame)
            if isinstance(node, ast.Call) and is_reachable(ev, place):
                yield from _run_by_call(ev, place, node)
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                yield from _run_on(ev, place, place.at(node.value), "__getitem__")
        for read in self._reads.in_scope(file, scope):
            place = read.within(frame)
            yield from (_unargued(place, one) for one in getters_of(ev, place) if is_reachable(ev, place))
        for entered in self._entered_in(file, scope):
            place = entered.within(frame)
            yield from _run_on(ev, place, place, "__enter__", "__exit__")

    def _entered_in(self, file: ParsedFile, scope: Scope) -> list[Place]:
        """Return what the `with` statements of a function enter."""
        if file not in self._entered:
            found: dict[Scope, list[Place]] = defaultdict(list)
            for statement in file.index.statements(ast.With):
                entered = [Place(file, one.context_expr, statement) for one in statement.items]
                found[file.index.home[statement][0].scope] += entered
            self._entered[file] = found
        return self._entered[file].get(scope, [])


def _unargued(place: Place, function: Function) -> Run:
    """Return what is run by no call of its own: nothing is known of its arguments but the object."""
    receiver = function.receiver
    return Run(place, function, Frame(function.scope, None, receiver) if receiver is not None else None)


def _run_by_call(ev: Evaluator, place: Place, call: ast.Call) -> Iterator[Run]:
    called = ev.evaluate(place.at(call.func))
    for callee in called:
        yield from (Run(place, one, frame_of(place, one)) for one in run_by(ev, callee))
    if call.args:
        given = place.at(call.args[0])
        for name in {one.value.name for one in called if isinstance(one.value, Imported)}:
            yield from (_unargued(place, one) for one in _run_by_given(ev, given, name))


def _run_by_given(ev: Evaluator, given: Place, name: str) -> Iterator[Function]:
    """Yield what a function of a library runs: `len(layers)`, `map(scaled, rows)`, `checkpoint(self.block, x)`."""
    if (method := OF_PYTHON.get(name)) is not None:
        yield from _methods(ev, given, method)
    if name in CALLING:
        for one in ev.evaluate(given):
            yield from run_by(ev, one)


def _run_on(ev: Evaluator, place: Place, owner: Place, *names: str) -> Iterator[Run]:
    methods = list(_methods(ev, owner, *names))
    yield from (_unargued(place, one) for one in methods if is_reachable(ev, place))


def _methods(ev: Evaluator, owner: Place, *names: str) -> Iterator[Function]:
    """Yield methods of the objects of the project that an expression may be."""
    for one in ev.evaluate(owner):
        if isinstance(one.value, Instance):
            methods = (method_of(ev, one.value.kind, name, one) for name in names)
            yield from (method for method in methods if method is not None)
