"""Which calls save tensors for the gradient of what requires grad, so that the first `backward()` frees these."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.tensors.sure_tensors import are_tensors
from torchlint.model.values.graphs_of_values import has_graph
from torchlint.model.values.value_sets import Imported
from torchlint.pytorch.layers import OWN_TENSORS
from torchlint.pytorch.module_attributes import PLAIN_TENSORS_OF
from torchlint.pytorch.saved_results import FREED, FREED_METHODS
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_DETACHING = re.compile(r"\b(detach|data|grad|item)\b")


def saves_tensors(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call saves tensors, and what it is given surely requires grad."""
    assert isinstance(call.expression, ast.Call)
    if _adds_up_parameters(ev, call):
        return True
    if not _is_saving(ev, call):
        return False
    return has_graph(ev.evaluate(call)) or any(_is_parameter(ev, call, one) for one in _inputs(call.expression))


def _is_saving(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call is of a function, or of a method of a tensor, that saves tensors for its gradient."""
    assert isinstance(call.expression, ast.Call)
    function = call.expression.func
    if (
        isinstance(function, ast.Attribute)
        and function.attr in FREED_METHODS
        and are_tensors(ev, call.at(function.value))
    ):
        return True
    called = [one.value for one in ev.evaluate(call.at(function))]
    return bool(called) and all(isinstance(one, Imported) and one.name in FREED for one in called)


def _adds_up_parameters(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call is `sum(p.pow(2).sum() for p in net.parameters())`, with anything that saves tensors."""
    match call.expression:
        case ast.Call(
            func=ast.Name(id="sum"),
            args=[
                ast.GeneratorExp(
                    elt=term, generators=[ast.comprehension(iter=ast.Call(func=ast.Attribute() as source))]
                )
                | ast.ListComp(elt=term, generators=[ast.comprehension(iter=ast.Call(func=ast.Attribute() as source))])
            ],
        ) if source.attr in PLAIN_TENSORS_OF and ev.is_module(call.at(source.value)):
            methods = {
                node.func.attr
                for node in walk(term)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            }
            return not FREED_METHODS.isdisjoint(methods) and not _DETACHING.search(call.file.code_of(term))
        case _:
            return False


def _inputs(call: ast.Call) -> list[ast.expr]:
    return [*call.args[:1], *([call.func.value] if isinstance(call.func, ast.Attribute) else [])]


def _is_parameter(ev: Evaluator, call: Place, given: ast.expr) -> bool:
    """Tell whether an expression is a parameter of a layer: `table.weight`."""
    match given:
        case ast.Attribute(value=owner, attr=name):
            return name in OWN_TENSORS and ev.is_module(call.at(owner))
        case _:
            return False
