"""Where autograd records nothing: under `no_grad` and `inference_mode`, as a block or as a decorator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchlint.model.place import Place
from torchlint.model.syntax.scope import Scope
from torchlint.model.syntax.walk import walk
from torchlint.model.values.possible import Display, Possible, Tensor, Tuple, Value

# Tests of these may let through what autograd does not record.
_ASKED = frozenset({"is_grad_enabled", "is_inference_mode_enabled", "requires_grad", "is_leaf"})
_OFF = frozenset({"no_grad", "inference_mode", "set_grad_enabled"})


def is_recorded(place: Place) -> bool:
    """Tell whether what is computed at a place is recorded, as far as its function shows."""
    return not any(_turns_off(node) for node in _around(place))


def is_asked_for(place: Place) -> bool:
    """Tell whether a test on the way asks for the mode of autograd, or for what wants gradients."""
    for test, holds in place.tests:
        for node in walk(test.expression):
            if isinstance(node, (ast.Name, ast.Attribute)) and test.at(node).word in _ASKED:
                return not (holds and test.expression is node and test.at(node).word == "requires_grad")
    return False


def without_graph(possible: Possible) -> Possible:
    """Return the same values as they are where nothing is recorded."""
    return tuple(one.of_value(_without_graph(one.value)) for one in possible)


def _without_graph(value: Value) -> Value:
    match value:
        case Tensor(device=device):
            return Tensor(device, False)
        case Display(place=written) if _is_of_its_call(written):
            return Display(written, is_recorded=False)
        case Tuple(items=items):
            return Tuple(tuple(map(without_graph, items)))
        case _:
            return value


def _is_of_its_call(written: Place) -> bool:
    """Tell whether a container is made anew by the call that gives it: what outlives the call may hold other things."""
    if isinstance(written.expression, ast.Lambda) or written.scope.kind != "function":
        return False
    match written.statement:
        case ast.Assign(targets=targets):
            return all(isinstance(target, (ast.Name, ast.Tuple)) for target in targets)
        case statement:
            return isinstance(statement, (ast.AnnAssign, ast.Return))


def _around(place: Place) -> Iterator[ast.expr]:
    for block, _ in place.file.index.blocks_around(place.statement):
        if isinstance(block.owner, (ast.With, ast.AsyncWith)):
            yield from (item.context_expr for item in block.owner.items)
    scope: Scope | None = place.scope
    while scope is not None and scope.kind == "function":
        if isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from scope.node.decorator_list
        scope = scope.outer


def _turns_off(node: ast.expr) -> bool:
    """Tell whether an expression is `torch.no_grad()` or a relative of it; by the name, which nothing else has."""
    match node:
        case ast.Call(func=function, args=arguments):
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name == "set_grad_enabled":
                return bool(arguments) and isinstance(arguments[0], ast.Constant) and arguments[0].value is False
            return name in _OFF
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in _OFF - {"set_grad_enabled"}
        case _:
            return False
