"""Which calls of modules a tensor is surely computed by, with their graphs, as far as one function shows.

What `backward()` starts from is followed back through names with a single binding, and through operations that are
known to keep a graph: arithmetic, functions and losses of PyTorch, modules that detach nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.containers.items import select
from torchlint.model.containers.lists import added_to
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import definitions
from torchlint.model.tensors.sure_tensors import are_tensors
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.graphs_of_values import has_graph
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Function, Imported
from torchlint.pytorch.gradient_ends import KEEPING_GRAPHS, LEAVES
from torchlint.syntax.around import is_self
from torchlint.syntax.exits import LoopNode, loops_of
from torchlint.syntax.name_reads import is_computed_of
from torchlint.syntax.scope import Binding, Selector, Store

from .backward_paths import cuts
from .kept_states import constructing_store, keeping_store, stored_above
from .saving_calls import saves_tensors

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# A function with one of these needs a closer analysis than this one.
_ASIDE = re.compile(
    r"\b(detach_?|no_grad|inference_mode|set_grad_enabled|requires_grad_?|numpy|item|data|checkpoint|grad)\b"
)
# One of the items of these may be used and not another.
_SEVERAL = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_MOST = 60


@dataclass(frozen=True, slots=True)
class Part:
    """A call of a module that made a tensor; `selector` is its part of the result."""

    call: Place
    selector: Selector = ()


@dataclass(frozen=True, slots=True)
class Carried:
    """What an iteration reads of what was stored in a name or an attribute by another one, or before the loop."""

    name: str
    value: Place
    selector: Selector


@dataclass(slots=True)
class Graph:
    """What a tensor is surely computed by in one iteration of a loop, and from what earlier iterations stored."""

    parts: list[Part] = field(default_factory=list)
    carried: list[Carried] = field(default_factory=list)
    shared: list[Carried] = field(default_factory=list)
    """What was computed before the loop, and is the same in each of its iterations."""
    constructed: list[Carried] = field(default_factory=list)
    """Attributes that the constructor computed once."""
    saving: list[Place] = field(default_factory=list)
    """What saves tensors for the gradient: `x @ weight`, `torch.exp(scale)`; on torch 2.13 a number as well."""
    through: list[Part] = field(default_factory=list)
    """Calls of modules that only pass on the graph of their inputs, as far as is known."""
    inputs: list[Binding] = field(default_factory=list)
    """The parameters of the function."""
    _seen: set[tuple[int, Selector]] = field(default_factory=set)

    def follow(self, ev: Evaluator, place: Place, loop: LoopNode | None, selector: Selector = ()) -> None:
        """Follow an expression back to all that it is computed from."""
        node = place.expression
        if (id(node), selector) in self._seen or len(self._seen) > _MOST or not is_recorded(place):
            return
        if isinstance(node, _SEVERAL):
            return
        self._seen.add((id(node), selector))
        match node:
            case ast.Name():
                self._follow_name(ev, place, loop, selector)
            case ast.Attribute(value=owner) if is_self(owner):
                self._follow_own(ev, place, loop, selector)
            case ast.Tuple(elts=items) | ast.List(elts=items) if selector:
                # The index of the item has to be known.
                if (first := selector[0]) is not None and first < len(items):
                    self.follow(ev, place.at(items[first]), loop, selector[1:])
            case ast.Call():
                self._follow_call(ev, place, loop, selector)
            case ast.Subscript(value=owner) if not are_tensors(ev, place.at(owner)):
                pass
            case ast.BinOp(op=ast.MatMult() | ast.Mult() | ast.Div() | ast.Pow()) if has_graph(ev.evaluate(place)):
                self.saving.append(place)
                self._follow_parts(ev, place, loop)
            case _:
                self._follow_parts(ev, place, loop)

    def _follow_own(self, ev: Evaluator, place: Place, loop: LoopNode | None, selector: Selector) -> None:
        """Follow an attribute that the method has stored above, or that it stores for its next call."""
        if (above := stored_above(place)) is not None and above.value is not None:
            self.follow(ev, Place(place.file, above.value, above.statement), loop, (*above.selector, *selector))
        elif (kept := keeping_store(ev, place)) is not None:
            self._carry(place, kept, place.code)
        elif (made := constructing_store(ev, place)) is not None and made.value is not None:
            value = Place(made.file, made.value, made.statement)
            self.constructed.append(Carried(place.code, value, selector))

    def _follow_parts(self, ev: Evaluator, place: Place, loop: LoopNode | None) -> None:
        for child in ast.iter_child_nodes(place.expression):
            if isinstance(child, ast.expr) and not cuts(place.expression, child):
                self.follow(ev, place.at(child), loop)

    def _follow_name(self, ev: Evaluator, place: Place, loop: LoopNode | None, selector: Selector) -> None:
        """Follow a name to its binding, if an iteration has only one; what comes from other iterations is noted."""
        index = place.file.index
        found = definitions(ev, place)
        self.inputs += [one for one in found if one.kind == "parameter" and len(found) == 1]
        own = [one for one in found if loop is None or index.is_in_body(one.statement, loop)]
        if (term := _added_in_turn(place, own)) is not None:
            self.follow(ev, term, loop)
            return
        if not own and len(found) == 1 and found[0].kind == "assign" and not _is_detached(place):
            self._share(place, found[0], selector)
        if _is_detached(place) or len(own) != 1 or own[0].kind not in {"assign", "augment"}:
            return
        one, value = own[0], own[0].value
        if isinstance(value, ast.List) and not value.elts and not selector:
            for added, _ in added_to(Place(place.file, value, one.statement)):
                self.follow(ev, added, loop)
        if loop is not None and one.statement.lineno >= place.statement.lineno:
            if next(loops_of(index, one.statement), None) is loop:
                self._carry(place, one, one.name)
        elif value is not None and (len(found) == 1 or one.kind == "augment"):
            self.follow(ev, Place(place.file, value, one.statement), loop, (*one.selector, *selector))
            if isinstance(one.statement, ast.AugAssign):
                self.follow(ev, Place(place.file, one.statement.target, one.statement), loop)

    def _carry(self, read: Place, kept: Binding | Store, name: str) -> None:
        if kept.value is not None:
            self.carried.append(Carried(name, Place(read.file, kept.value, kept.statement), kept.selector))

    def _share(self, read: Place, made: Binding, selector: Selector) -> None:
        if made.value is not None:
            value = Place(read.file, made.value, made.statement)
            self.shared.append(Carried(made.name, value, (*made.selector, *selector)))

    def _follow_call(self, ev: Evaluator, place: Place, loop: LoopNode | None, selector: Selector) -> None:
        call = place.expression
        assert isinstance(call, ast.Call)
        if ev.is_module(place.at(call.func)):
            is_made = has_graph(select(ev, ev.evaluate(place), selector)) or _computes(ev, place, selector)
            (self.parts if is_made else self.through).append(Part(place, selector))
        elif isinstance(call.func, ast.Attribute) and not cuts(call.func, call.func.value):
            # The result of a tensor's method has the graph of that.
            self.follow(ev, place.at(call.func.value), loop)
        if saves_tensors(ev, place):
            self.saving.append(place)
        if not _keeps_graph(ev, place):
            return
        for child in (*call.args, *(word.value for word in call.keywords)):
            if not cuts(call, child):
                self.follow(ev, place.at(child), loop)


def graph_at(ev: Evaluator, place: Place, selector: Selector = (), loop: LoopNode | None = None) -> Graph:
    """Return what an expression, or a part of its value, is surely computed by in one iteration of a loop."""
    graph = Graph()
    graph.follow(ev, place, loop, selector)
    return graph


@tabled(False)
def _computes(ev: Evaluator, call: Place, selector: Selector) -> bool:
    """Tell whether a module of the project surely computes what it returns by layers of its own."""
    graphs = [graph_at(ev, returned, selector) for returned in returned_by(ev, call)]
    return bool(graphs) and all(graph.parts for graph in graphs)


def returned_by(ev: Evaluator, call: Place) -> Iterator[Place]:
    """Yield what the callees of a call in the project return."""
    for function in callees_of(ev, call):
        for statement in function.scope.returns:
            if statement.value is not None:
                yield Place(function.file, statement.value, statement)


def _added_in_turn(name: Place, bindings: list[Binding]) -> Place | None:
    """Return what a loop above adds to a name that starts as a number: `cost = 0`, `cost = cost + model(x)`."""
    numbers = [one for one in bindings if isinstance(one.value, ast.Constant)]
    added = [one for one in bindings if one not in numbers]
    if len(bindings) != 2 or len(added) != 1 or added[0].value is None or added[0].selector:
        return None
    (one,) = added
    assert one.value is not None
    is_above = one.statement.lineno < name.statement.lineno
    is_sum = one.kind == "augment" or (one.kind == "assign" and is_computed_of(one.value, one.name))
    return Place(name.file, one.value, one.statement) if is_above and is_sum else None


def _is_detached(name: Place) -> bool:
    """Tell whether the function detaches in place what may be the tensor: `hidden.detach_()`."""
    return any(name.file.index.home[one][0].scope is name.scope for _, one in name.file.index.calls("detach_"))


def is_of_torch(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call is one of a function or module of PyTorch."""
    assert isinstance(call.expression, ast.Call)
    called = [one.value for one in ev.evaluate(call.at(call.expression.func))]
    return any(isinstance(one, (Built, Imported)) and one.name.startswith("torch.") for one in called)


def _keeps_graph(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call's result has the graph of its arguments: one of PyTorch, or one that detaches nothing."""
    assert isinstance(call.expression, ast.Call)
    functions = list(callees_of(ev, call)) if ev.is_module(call.at(call.expression.func)) else []
    if not functions:
        return is_of_torch(ev, call) and LEAVES.isdisjoint(call.at(call.expression.func).names)
    return not any(_may_detach(ev, one) for one in functions)


@tabled(False)
def _may_detach(ev: Evaluator, function: Function) -> bool:
    """Tell whether a function or one that it calls may detach something, by their texts, or is of another package."""
    if _ASIDE.search(function.file.code_of(function.scope.node)):
        return True
    calls = [Place(function.file, *pair) for pair in function.file.calls_in_scope(function.scope)]
    return any(_is_foreign(one) or any(_may_detach(ev, inner) for inner in callees_of(ev, one)) for one in calls)


def _is_foreign(call: Place) -> bool:
    """Tell whether a call's result comes from a package whose code is not known."""
    assert isinstance(call.expression, ast.Call)
    packages = {name.partition(".")[0] for name in call.at(call.expression.func).names}
    is_used = not (isinstance(call.statement, ast.Expr) and call.statement.value is call.expression)
    return is_used and not packages <= KEEPING_GRAPHS
