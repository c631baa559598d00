"""What a module stores for its next call, and what one iteration of a loop stores for the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.place import Caller, Place
from torchlint.model.values.tabled import tabled
from torchlint.syntax.exits import LoopNode

from .autograd_graph import Graph, Part, graph_at, returned_by
from .same_parts import are_one

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Scope

_NOTHING: tuple[Part, str] | None = None


@tabled(_NOTHING)
def carried_within(ev: Evaluator, part: Part) -> tuple[Part, str] | None:
    """Return what a module stores for the next call and goes through then, or a module inside it."""
    for returned in returned_by(ev, part.call):
        inner = graph_at(ev, returned, part.selector)
        if (found := carried_over(ev, inner, None) or _made_of_inputs(ev, inner, part.call)) is not None:
            return found
        deeper = (carried_within(ev, one) for one in (*inner.parts, *inner.through))
        if (found := next((one for one in deeper if one is not None), None)) is not None:
            return found
    return None


def _made_of_inputs(ev: Evaluator, graph: Graph, call: Place) -> tuple[Part, str] | None:
    """Return what computes an input of a module, if that stores what it makes of it: `self.mem = self.mem + x`.

    The next call goes through the graph of the input of this one.
    """
    for carried in graph.carried:
        for one in graph_at(ev, carried.value, carried.selector).inputs:
            for argument in _passed_for(call, carried.value.scope, one.name):
                if computed := graph_at(ev, argument).parts:
                    return computed[0], carried.name
    return None


def _passed_for(call: Place, method: Scope, name: str) -> tuple[Place, ...]:
    parameter = next((one for one in method.parameters if one.name == name), None)
    return (Caller.of_call(call, 1).argument(parameter) or ()) if parameter is not None else ()


def carried_over(ev: Evaluator, graph: Graph, loop: LoopNode | None) -> tuple[Part, str] | None:
    """Return the part of a graph that one iteration carries over to the next, and the name that carries it."""
    for carried in graph.carried:
        for part in graph_at(ev, carried.value, carried.selector, loop).parts:
            if any(are_one(ev, part, one) for one in graph.parts):
                return part, carried.name
    return None
