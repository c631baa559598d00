"""Outputs of CUDA graphs that are kept while the graph runs again, and writes the next ones to the same memory.

A run of compiled code in one of the modes that use CUDA graphs begins a generation, and ends the last one unless a
backward of that is still to come: its outputs may not be used any more (torch/_inductor/cudagraph_trees.py of 2.13).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.value_sets import Display
from torchlint.pytorch.graph_modes import MARK_STEP
from torchlint.syntax.around import loops_around
from torchlint.syntax.last_names import root_of
from torchlint.syntax.walk import walk

from .graph_outputs import graph_of, uses_graphs

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_INTO_LISTS = ("append", "appendleft", "add")


@dataclass(frozen=True, slots=True)
class OverwrittenOutput:
    """An output of a CUDA graph that is still used when the graph has run again."""

    place: Place
    graph: Place
    """Where what runs the graph is compiled."""
    again: Place | None
    """The later call that overwrites it, None where it is a later iteration."""


def overwritten_outputs(ev: Evaluator, file: ParsedFile) -> Iterator[OverwrittenOutput]:
    """Yield the outputs of CUDA graphs in a file that are kept for later iterations, or used after another run."""
    if MARK_STEP in file.code or not ev.project.once(uses_graphs):
        return
    for value in chain(_appended(file), _stored(ev, file), _listed(file)):
        if (graph := graph_of(ev, value)) is not None:
            yield OverwrittenOutput(value, graph, None)
    for statement in file.index.statements(ast.Assign):
        yield from _used_after_next(ev, file, statement)


def _appended(file: ParsedFile) -> Iterator[Place]:
    """Yield what the iterations of a loop put into a list that is there before it."""
    for name in _INTO_LISTS:
        for call, statement in file.index.calls(name):
            match call:
                case ast.Call(func=ast.Attribute(value=owner), args=[value]) if _is_there_before(
                    file, owner, statement
                ):
                    yield Place(file, value, statement)


def _stored(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    """Yield what the iterations of a loop put under their keys into a dict or list; a tensor would copy it."""
    for store in file.index.stores:
        if isinstance(store.key, (str, ast.Constant)) or store.value is None or store.kind != "assign":
            continue
        owner = Place(file, store.target, store.statement)
        possible = ev.evaluate(owner)
        is_table = bool(possible) and all(isinstance(one.value, Display) for one in possible)
        if is_table and _is_there_before(file, store.target, store.statement):
            yield owner.at(store.value)


def _is_there_before(file: ParsedFile, container: ast.expr, statement: ast.stmt) -> bool:
    """Tell whether the loop around a statement does not create the container in each iteration."""
    place = Place(file, container, statement)
    loop = next(loops_around(place), None)
    root = root_of(container)
    if loop is None or not isinstance(root, ast.Name):
        return False
    bindings = place.scope.bindings.get(root.id, ())
    return not any(one.statement is loop or file.index.is_in_body(one.statement, loop) for one in bindings)


def _listed(file: ParsedFile) -> Iterator[Place]:
    """Yield what the iterations of a comprehension make a list or dict of."""
    yield from (Place(file, one.elt, statement) for one, statement in file.index.expressions(ast.ListComp))
    yield from (Place(file, one.value, statement) for one, statement in file.index.expressions(ast.DictComp))


def _used_after_next(ev: Evaluator, file: ParsedFile, statement: ast.Assign) -> Iterator[OverwrittenOutput]:
    """Yield the output that a statement names, where one further down runs a graph, and another reads the name then."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value):
            place = Place(file, value, statement)
        case _:
            return
    if is_recorded(place) or (graph := graph_of(ev, place)) is None:
        return
    block, index = file.index.home[statement]
    again: Place | None = None
    for later in block.body[index + 1 :]:
        if again is not None and any(isinstance(one, ast.Name) and one.id == name for one in walk(later)):
            yield OverwrittenOutput(place, graph, again)
            return
        if _binds(later, name):
            return
        again = again or _next_run(ev, file, later)


def _next_run(ev: Evaluator, file: ParsedFile, statement: ast.stmt) -> Place | None:
    """Return the output of a graph that a statement names."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return None
    place = Place(file, statement.value, statement)
    return place if graph_of(ev, place) is not None else None


def _binds(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) for one in walk(statement)
    )
