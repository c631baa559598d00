"""Graphs that `backward()` goes through after another one has freed them: in this iteration, or the previous one.

A node of a graph that saves tensors for its gradient frees them after `backward()`, so that the next one raises:
"Trying to backward through the graph a second time". Checked on torch 2.13.
https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import program_files
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.containers.lists import added_to, kept_as, stores_into
from torchlint.model.guards.catching import is_caught, is_expected
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.training.freezing import is_frozen_in
from torchlint.model.training.what_trains import step_loops_of
from torchlint.pytorch.backward import BACKWARD
from torchlint.syntax.exits import LoopNode, first_leaving, runs_once
from torchlint.syntax.walk import is_written

from .always_recording import is_switched_off
from .autograd_graph import Graph, Part, graph_at, returned_by
from .backward_targets import started_from
from .carried_states import carried_over, carried_within
from .iteration_order import ByIteration, home_of, innermost_loop
from .same_parts import are_one

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class FreedGraph:
    """A `backward()`, what it goes through that was freed before, and the call that freed it, if not itself."""

    backward: Call
    part: Place
    freed: Call | None
    name: str = ""
    """What carries the graph to the next iteration, if that is the cause."""
    is_computed_once: bool = False
    """Whether that was computed before the loop."""


def freed_graphs(ev: Evaluator, file: ParsedFile) -> Iterator[FreedGraph]:
    """Yield the calls of `backward()` in a file that surely go through a freed graph."""
    return freed_among(ev, list(graphs_of(ev, file)))


def freed_among(ev: Evaluator, graphs: Sequence[tuple[Call, Graph]]) -> Iterator[FreedGraph]:
    """Yield the same for the calls of a file, in order, each with its graph."""
    freeing, freed = ByIteration(()), dict[ast.expr, Graph]()
    for call, graph in graphs:
        before = reversed(list(freeing.before(call)))
        among = (_of_iteration(ev, one, freed[one.expression], call, graph) for one in before)
        found = next((one for one in among if one is not None), None)
        if not _retains(call):
            found = found or of_previous_iteration(ev, call, graph)
            freeing.add(call)
            freed[call.expression] = graph
        if found is not None:
            yield found


def graphs_of(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Call, Graph]]:
    """Return the calls of `backward()` in a file with their graphs, in programs that freeze none of it."""
    calls = [call for call in method_calls_of(file, frozenset(BACKWARD)) if _is_plain(ev, call)]
    if calls and not is_frozen_in(ev, program_files(ev, file)) and not ev.project.once(is_switched_off):
        yield from ((call, graph_of(ev, call)) for call in calls)


def _is_plain(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call goes back through the whole graph, and is not expected to raise."""
    return "inputs" not in call.keywords and is_reachable(ev, call) and not is_caught(call) and not is_expected(call)


def _retains(call: Call) -> bool:
    """Tell whether a call may retain its graph."""
    kept = [one for name, one in call.keywords.items() if name in {"retain_graph", "create_graph"}]
    return call.is_open or any(one.literals not in {(False,), (None,)} for one in kept)


def graph_of(ev: Evaluator, call: Call) -> Graph:
    """Return the graph that a `backward()` surely goes through."""
    graph = Graph()
    for start in started_from(call._call):
        graph.follow(ev, call.at(start), innermost_loop(call))
    return graph


def _of_iteration(ev: Evaluator, first: Call, freed: Graph, second: Call, graph: Graph) -> FreedGraph | None:
    """Return what the second of two calls in an iteration goes through that the first has freed."""
    for part in graph.parts:
        if part.call.line <= first.line and any(are_one(ev, part, one) for one in freed.parts):
            return FreedGraph(second, part.call, first)
    return None


def of_previous_iteration(ev: Evaluator, call: Call, graph: Graph) -> FreedGraph | None:
    """Return what a call goes through in each iteration that it has freed itself in the previous one."""
    if not _repeats(ev, call):
        return None
    if (found := carried_over(ev, graph, innermost_loop(call))) is not None:
        return FreedGraph(call, found[0].call, None, found[1])
    loop = innermost_loop(call)
    if (made := _computed_before(ev, graph, loop) or _constructed_before(ev, graph, loop)) is not None:
        return FreedGraph(call, *made, is_computed_once=True)
    within = (carried_within(ev, part) for part in (*graph.parts, *graph.through))
    found = next((one for one in within if one is not None), None)
    return FreedGraph(call, found[0].call, None, found[1]) if found is not None else None


def _computed_before(ev: Evaluator, graph: Graph, loop: LoopNode | None) -> tuple[Place, None, str] | None:
    """Return a part of a graph that was computed once, before the loop whose iterations all go through it."""
    for before, name in _graphs_before(ev, graph, loop):
        if made := [*(part.call for part in before.parts), *before.saving]:
            return made[0], None, name
    return None


def _graphs_before(ev: Evaluator, graph: Graph, loop: LoopNode | None) -> Iterator[tuple[Graph, str]]:
    """Yield the parts of a graph that were computed once, before a loop, each as a graph with its name."""
    for shared in graph.shared:
        before = Graph()
        for value in _filled_with(shared.value, loop):
            before.follow(ev, value, None, shared.selector)
        yield before, shared.name


def parts_retained(ev: Evaluator, call: Call, graph: Graph) -> Iterator[Part]:
    """Yield the calls from before a loop whose graph a `backward()` goes through again in each iteration."""
    if graph.shared and _retains(call) and _repeats(ev, call):
        for before, _ in _graphs_before(ev, graph, innermost_loop(call)):
            yield from before.parts


def _filled_with(value: Place, loop: LoopNode | None) -> Iterator[Place]:
    """Yield a value, and what a list is filled with before a loop, if nothing in the loop changes it."""
    yield value
    if not isinstance(value.expression, ast.List) or loop is None:
        return
    added = [one for one, _ in added_to(value)]
    name = kept_as(value)
    is_changed = name is not None and any(
        value.file.index.is_in_body(statement, loop)
        for call, statement in value.file.calls_on(name.rpartition(".")[2])
        if isinstance(call.func, ast.Attribute) and is_written(call.func.value, name)
    )
    if not is_changed and not any(stores_into(value)):
        yield from added


def _constructed_before(ev: Evaluator, graph: Graph, loop: LoopNode | None) -> tuple[Place, None, str] | None:
    """Return what a module's constructor computed once, if the module was made before the loop."""
    for part in graph.parts:
        if loop is not None and _is_made_before(ev, part.call, loop):
            for returned in returned_by(ev, part.call):
                for made in graph_at(ev, returned, part.selector).constructed:
                    if saving := graph_at(ev, made.value, made.selector).saving:
                        return saving[0], None, made.name
    return None


def _is_made_before(ev: Evaluator, call: Place, loop: LoopNode) -> bool:
    """Tell whether the module of a call is made outside a loop, in the same function or at the top of a file."""
    assert isinstance(call.expression, ast.Call)
    origins = [one.origin for one in ev.evaluate(call.at(call.expression.func))]
    return bool(origins) and all(
        one is not None
        and (one.scope is call.scope or one.scope.kind != "function")
        and not one.file.index.is_in_body(one.statement, loop)
        for one in origins
    )


def _repeats(ev: Evaluator, call: Call) -> bool:
    """Tell whether each iteration of a loop reaches a call, and then the next iteration."""
    loop, block = innermost_loop(call), home_of(call)[0]
    if loop is None:
        is_whole = block.owner is call.scope.node and call.scope.kind == "function"
        return is_whole and step_loops_of(ev.project).every_step(call) is not None
    return block.owner is loop and not runs_once(loop) and first_leaving(loop.body, call.file.index) is None
