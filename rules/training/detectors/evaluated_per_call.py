"""Evaluation of one batch in each call of a function: a loop elsewhere repeats the call, and no result has a graph.

The full batch of a graph network is evaluated so, once an epoch, and the batches that a trainer passes to a method.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call
from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Function, Imported, Instance, Tensor, ValueSet
from torchlint.syntax.around import loops_around
from torchlint.syntax.exits import first_leaving
from torchlint.syntax.walk import names_under, walk

from .between_epochs import FILLING
from .unused_graphs import has_no_graph, returns_no_graph

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# They compute, and keep nothing of their arguments.
_COMPUTING = ("torch.", "numpy.", "math.", "builtins.", "sklearn.metrics.")
_NOWHERE: Place | None = None


def loop_of_calls(ev: Evaluator, call: Call) -> Place | None:
    """Return the loop that repeats an evaluation outside its function, if nothing keeps a graph of it."""
    if call.scope.kind != "function" or call.scope.yields or any(True for _ in loops_around(call)):
        return None
    if not returns_no_graph(ev, call) or _may_keep(ev, call):
        return None
    return _loop_around(ev, Function(call.file, call.scope))


@tabled(_NOWHERE)
def _loop_around(ev: Evaluator, function: Function) -> Place | None:
    """Return the loop that calls a function in each of its iterations, or calls one that does."""
    for caller in ev.callers(function):
        at = caller.place
        loop = next(iter(loops_around(at)), None)
        if loop is not None and first_leaving(loop.body, at.file.index) is None:
            return header(at.file, loop)
        if at.scope.kind == "function" and (outer := _loop_around(ev, Function(at.file, at.scope))) is not None:
            return outer
    return None


def _may_keep(ev: Evaluator, call: Call) -> bool:
    """Tell whether a function may pass a result of a call to what outlives it."""
    names = _names_of_results(call)
    stores = (one for one in call.file.index.stores if call.file.index.home[one.statement][0].scope is call.scope)
    kept = [(one.value, one.statement) for one in stores if one.value is not None]
    if any(_may_have_graph(ev, call, names, Place(call.file, value, at)) for value, at in kept):
        return True
    later = (Call(call.file, *one) for one in call.file.calls_in_scope(call.scope) if one[0].lineno >= call.line)
    return any(
        _may_have_graph(ev, call, names, given) and not _only_computes(ev, one)
        for one in later
        if one.expression is not call.expression
        for given in (*one.arguments, *one.keywords.values())
    )


def _names_of_results(call: Call) -> set[str]:
    """Return the variables of a function that may hold what a call returns, or what is computed from that."""
    bindings = [one for group in call.scope.bindings.values() for one in group if one.statement.lineno >= call.line]
    names = set[str]()
    for one in sorted(bindings, key=lambda binding: binding.statement.lineno):
        if one.statement is call.statement or not names.isdisjoint(names_under(one.statement)):
            names.add(one.name)
    return names


def _may_have_graph(ev: Evaluator, call: Call, names: set[str], given: Place) -> bool:
    mentions = any(
        node is call.expression or (isinstance(node, ast.Name) and node.id in names) for node in walk(given.expression)
    )
    return mentions and not has_no_graph(ev, ev.evaluate(given))


def _only_computes(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call surely keeps none of its arguments."""
    possible = ev.evaluate(call.callee)
    return _is_computing(ev, possible) or (call.owner is not None and _are_tensors(ev.evaluate(call.owner)))


def _is_computing(ev: Evaluator, possible: ValueSet) -> bool:
    return bool(possible) and all(_computes(ev, one.value) for one in possible)


def _computes(ev: Evaluator, value: object) -> bool:
    match value:
        case Imported(name=name):
            return name.startswith(_COMPUTING)
        case Instance() | Built():
            return is_module(ev, value)
        case Function():
            return not _stores_or_fills(value)
        case _:
            return False


def _are_tensors(possible: ValueSet) -> bool:
    return bool(possible) and all(isinstance(one.value, Tensor) for one in possible)


def _stores_or_fills(function: Function) -> bool:
    """Tell whether a function itself stores into an object, or fills a container."""
    file, scope = function.file, function.scope
    if any(file.index.home[one.statement][0].scope is scope for one in file.index.stores):
        return True
    return any(name in FILLING for name in _methods_in(function))


def _methods_in(function: Function) -> Iterator[str]:
    calls = (call for call, _ in function.file.calls_in_scope(function.scope))
    return (call.func.attr for call in calls if isinstance(call.func, ast.Attribute))
