"""Graphs that go back through all iterations of a loop: a module receives its own result, which is not detached.

Every `backward()` frees the graph that it goes through, so that the next one, which reaches that again, raises; with
`retain_graph=True` it goes through all of it once more, and each iteration takes longer than the one before.
https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.tabled import tabled
from torchlint.pytorch.gradient_ends import DETACHING
from torchlint.syntax.exits import LoopNode, loops_of
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.scope import Binding
from torchlint.syntax.walk import walk

from .freed_graphs import graph_of, of_previous_iteration

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

_BACKWARD = frozenset({"backward"})
_NONE: tuple[Binding, ...] = ()


@dataclass(frozen=True, slots=True)
class RetainedGraph:
    """A `backward()` that goes through earlier iterations once more, and the call that carries their graph over."""

    backward: Call
    carried: Place
    name: str


def retained_graphs(ev: Evaluator, file: ParsedFile) -> Iterator[RetainedGraph]:
    """Yield the calls of a file that retain graphs which grow with every iteration."""
    for call in method_calls_of(file, _BACKWARD):
        retained = call.keywords.get("retain_graph")
        loop = next(loops_of(file.index, call.statement), None)
        if retained is None or retained.literals != (True,) or call.owner is None:
            continue
        bound = _carried(ev, call, loop) if loop is not None else ()
        found = next((one for one in bound if _leads_to(call, call.owner, one)), None)
        if found is not None and found.value is not None:
            yield RetainedGraph(call, Place(file, found.value, found.statement), found.name)
        elif (kept := of_previous_iteration(ev, call, graph_of(ev, call))) is not None and not kept.is_computed_once:
            yield RetainedGraph(call, kept.part, kept.name)


def _carried(ev: Evaluator, backward: Call, loop: LoopNode) -> Iterator[Binding]:
    """Yield the names that a loop binds to the result of a module for their values of the previous iteration."""
    for one in _given_on(ev, backward.file, backward.scope, loop):
        if one.value is not None:
            place = Place(backward.file, one.value, one.statement)
            if _comes_again(ev, place, one) and _computes(ev, place):
                yield one


@tabled(_NONE)
def _given_on(_ev: Evaluator, file: ParsedFile, scope: Scope, loop: LoopNode) -> tuple[Binding, ...]:
    """Return the bindings of a loop's names to calls with their own values as arguments, which it never detaches."""
    bound = (one for name in sorted(scope.bindings.keys() - set(_detached_in(loop))) for one in scope.bindings[name])
    calls = (one for one in bound if isinstance(one.value, ast.Call) and _is_given(one.value, one.name))
    return tuple(one for one in calls if file.index.is_in_body(one.statement, loop))


def _detached_in(loop: LoopNode) -> Iterator[str]:
    """Yield the names in what a loop detaches, or whose elements it does: `for one in state: one.detach_()`."""
    for node in walk(loop):
        match node:
            case ast.Attribute(value=owner, attr=attr) if attr in DETACHING:
                yield from (one.id for one in walk(owner) if isinstance(one, ast.Name))
            case ast.For(iter=source) | ast.comprehension(iter=source):
                yield from (one.id for one in walk(source) if isinstance(one, ast.Name))
            case _:
                pass


def _is_given(call: ast.Call, name: str) -> bool:
    given = (*call.args, *(word.value for word in call.keywords))
    return any(isinstance(one, ast.Name) and one.id == name for argument in given for one in walk(argument))


def _comes_again(ev: Evaluator, place: Place, binding: Binding) -> bool:
    """Tell whether what a statement binds is what it reads in the next iteration."""
    bindings = place.scope.bindings[binding.name]
    found = reaching(place.file.index, bindings, binding.statement, ev.decide(place))
    return binding in found.definitions


def _computes(ev: Evaluator, place: Place) -> bool:
    """Tell whether a call is of a module, and recorded by autograd."""
    assert isinstance(place.expression, ast.Call)
    return ev.is_module(place.at(place.expression.func)) and is_recorded(place)


def _leads_to(backward: Call, differentiated: Place, carried: Binding) -> bool:
    """Tell whether what is differentiated is computed from what the carrying statement binds."""
    sources: list[ast.expr] = [differentiated.expression]
    for _ in range(NESTED):
        names = {node.id for source in sources for node in walk(source) if isinstance(node, ast.Name)}
        bindings = [one for name in names for one in backward.scope.bindings.get(name, ())]
        if any(one.statement is carried.statement for one in bindings):
            return True
        sources = [one.value for one in bindings if one.value is not None]
    return False
