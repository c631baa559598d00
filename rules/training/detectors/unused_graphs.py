"""Graphs that nothing uses: a function neither differentiates what it computes, nor keeps or returns its graph."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlint.model.containers.displays import elements_of
from torchlint.model.place import Place
from torchlint.model.training.freezing import freezes_something
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Array, Display, Function, Literal, Number, Tensor, Text, Tuple, ValueSet
from torchlint.pytorch.backward import DIFFERENTIATING
from torchlint.syntax.walk import walk

from .always_recording import records_as_written
from .trained_module import may_be_trained

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator

_PLAIN = (ast.Constant, ast.Lambda)


def is_unused_graph(ev: Evaluator, call: Call, module: Place) -> bool:
    """Tell whether a call is recorded on every path, and nothing that its function passes out is differentiated."""
    if not records_as_written(ev, call):
        return False
    if call.scope.kind != "function":
        return stays_inside(ev, call, module, ())
    callers = [one.place for one in ev.callers(Function(call.file, call.scope))]
    return (bool(callers) or returns_no_graph(ev, call)) and stays_inside(ev, call, module, callers)


def stays_inside(ev: Evaluator, call: Call, module: Place, callers: Sequence[Place]) -> bool:
    """Tell whether the function around a call of a module passes no graph out that some callers may use."""
    if ev.project.once(freezes_something) and not may_be_trained(ev, module):
        return False
    if call.scope.yields or keeps_graphs(ev, call):
        return False
    return call.scope.kind != "function" or not _returns_graphs(ev, call) or all(map(_only_reads, callers))


def keeps_graphs(ev: Evaluator, call: Call) -> bool:
    """Tell whether the function around a call stores something with a graph outside."""
    stores = (one for one in call.file.index.stores if call.file.index.home[one.statement][0].scope is call.scope)
    return _hold_graphs(ev, [Place(call.file, one.value, one.statement) for one in stores if one.value is not None])


def _returns_graphs(ev: Evaluator, call: Call) -> bool:
    """Tell whether the function around a call returns something with a graph."""
    return _hold_graphs(ev, [Place(call.file, one.value, one) for one in call.scope.returns if one.value is not None])


def returns_no_graph(ev: Evaluator, call: Call) -> bool:
    """Tell whether what the function around a call returns surely has no graph, so that callers do not need one."""
    returned = (Place(call.file, one.value, one) for one in call.scope.returns if one.value is not None)
    return all(has_no_graph(ev, ev.evaluate(place)) for place in returned)


@tabled(False)
def has_no_graph(ev: Evaluator, possible: ValueSet) -> bool:
    """Tell whether a value surely is numbers, texts, arrays or tensors without a graph, or a tuple of these."""
    for one in possible:
        match one.value:
            case Number() | Literal() | Text() | Array() | Tensor(graph=False):
                pass
            case Tuple(items=items):
                if not all(has_no_graph(ev, item) for item in items):
                    return False
            case Display() if has_no_graph(ev, elements_of(ev, (one,))):
                pass
            case _:
                return False
    return bool(possible)


def _only_reads(caller: Place) -> bool:
    """Tell whether a caller binds the result of a function, and neither differentiates nor returns it."""
    calls = (node for name in sorted(DIFFERENTIATING) for node, _ in caller.file.index.calls(name))
    reading = (*calls, *caller.scope.returns)
    read = {node.id for one in reading for node in walk(one) if isinstance(node, ast.Name)}
    return caller.is_statement or (bool(caller.bound_to) and read.isdisjoint(caller.bound_to))


def _hold_graphs(ev: Evaluator, places: list[Place]) -> bool:
    return any(_holds_graph(ev, ev.evaluate(place)) for place in places if not isinstance(place.expression, _PLAIN))


@tabled(False)
def _holds_graph(ev: Evaluator, possible: ValueSet) -> bool:
    """Tell whether a value is a tensor that may carry a graph, or a container of such."""
    for one in possible:
        match one.value:
            case Tensor(graph=graph) if graph is not False:
                return True
            case Tuple(items=items) if any(_holds_graph(ev, item) for item in items):
                return True
            case Display() if _holds_graph(ev, elements_of(ev, (one,))):
                return True
            case _:
                pass
    return False
