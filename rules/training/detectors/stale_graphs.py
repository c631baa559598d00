"""Graphs that `backward()` goes through after an optimizer has changed the weights that they were computed with.

The gradient of a layer's input is computed with its weights, which a step changes in place. Checked on torch 2.13: it
raises "one of the variables needed for gradient computation has been modified by an inplace operation".
https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.containers.module_containers import modules_in
from torchlint.model.values.value_sets import Built, Possibility
from torchlint.pytorch.layers import GRADIENT_BY_WEIGHT
from torchlint.pytorch.symbols import SEQUENTIAL

from .autograd_graph import Graph, Part, graph_at, returned_by
from .freed_graphs import freed_among, graphs_of, parts_retained
from .iteration_order import ByIteration, innermost_loop, optimizer_of, runs_before
from .trained_module import trains

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_STEP = frozenset({"step"})


@dataclass(frozen=True, slots=True)
class StaleGraph:
    """A `backward()`, what it goes through, and the step that has changed the weights of that since."""

    backward: Call
    part: Call
    step: Call
    is_repeated: bool = False
    """Whether the step of each iteration changes weights that the next one needs, of a graph from before the loop."""


def stale_graphs(ev: Evaluator, file: ParsedFile) -> Iterator[StaleGraph]:
    """Yield the calls of `backward()` in a file that need weights from before a step."""
    steps = ByIteration(method_calls_of(file, _STEP))
    graphs = list(graphs_of(ev, file)) if file.index.calls("step") else []
    freed = {one.backward.expression for one in freed_among(ev, graphs)}
    for backward, graph in graphs:
        if backward.expression in freed:
            continue
        before = reversed(list(steps.before(backward)))
        found = (_changed(ev, step, part) for step in before for part in graph.parts)
        change = next((one for one in found if one is not None), None)
        if change is not None:
            yield StaleGraph(backward, *change)
        elif (repeated := _changed_in_loop(ev, backward, graph, steps)) is not None:
            yield repeated


def _changed_in_loop(ev: Evaluator, backward: Call, graph: Graph, steps: ByIteration) -> StaleGraph | None:
    """Return what a retained graph goes through in each iteration, if the steps of the loop change its weights."""
    loop = innermost_loop(backward)
    stepping = [(step, optimizer_of(step)) for step in steps.at(loop)] if loop is not None else []
    for part in parts_retained(ev, backward, graph) if stepping else ():
        call = call_at(part.call)
        for step, optimizer in stepping if call is not None else ():
            assert call is not None
            if optimizer is not None and trains(ev, optimizer, call.callee) and _needs_weights(ev, call):
                return StaleGraph(backward, call, step, is_repeated=True)
    return None


def _changed(ev: Evaluator, step: Call, part: Part) -> tuple[Call, Call] | None:
    """Return a call that a graph goes through and a step, if that changes weights which the graph needs."""
    optimizer, call = optimizer_of(step), call_at(part.call)
    if optimizer is None or call is None or not runs_before(call, step):
        return None
    return (call, step) if trains(ev, optimizer, call.callee) and _needs_weights(ev, call) else None


def _needs_weights(ev: Evaluator, call: Call) -> bool:
    """Tell whether gradients continue from the weights of a call: to another of its layers, or to its input."""
    given = Graph()
    for one in (*call.arguments, *call.keywords.values()):
        given.follow(ev, one, innermost_loop(call))
    if given.parts:
        return True
    for returned in returned_by(ev, call):
        if len(graph_at(ev, returned).parts) > 1:
            return True
    return any(_has_layers(ev, one) for one in ev.evaluate(call.callee))


def _has_layers(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a Sequential has weights beyond those of its first layer."""
    if not isinstance(one.value, Built) or one.value.name != SEQUENTIAL:
        return False
    return (
        sum(isinstance(inner.value, Built) and inner.value.name in GRADIENT_BY_WEIGHT for inner in modules_in(ev, one))
        > 1
    )
