"""Modules that each iteration of a loop makes: what is kept of one is no longer trained."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.place import Caller, Place
from torchlint.syntax.last_names import root_of
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.exits import LoopNode
    from torchlint.syntax.scope import Scope


def is_made_within(ev: Evaluator, place: Place, inside: Place, loop: LoopNode, *, is_module: bool) -> bool:
    """Tell whether each iteration of the loop makes a module of its own: what is kept of it is no longer trained."""
    assert isinstance(place.expression, (ast.Call, ast.Name, ast.Attribute))
    owner = place.expression if is_module else _owner(place.expression)
    names = {written(node) for node in walk(owner) if isinstance(node, (ast.Name, ast.Attribute))}
    if inside.scope is not place.scope:
        if _is_made_in(ev, place.at(owner), place.scope):
            return True
        names = {
            written(node)
            for given in _given_for(ev, place.at(owner), inside)
            for node in walk(given)
            if isinstance(node, (ast.Name, ast.Attribute))
        }
    return any(
        isinstance(node, ast.Assign)
        and any(written(target) in names for target in _targets(node))
        and not _is_same(node)
        for statement in loop.body
        for node in walk(statement)
        if node is not place.statement
    )


def _targets(node: ast.Assign) -> Iterator[ast.expr]:
    """Yield what an assignment binds, the items of tuples each by itself: `model, loss = make()`."""
    for target in node.targets:
        yield from target.elts if isinstance(target, (ast.Tuple, ast.List)) else (target,)


def _given_for(ev: Evaluator, module: Place, call: Place) -> Iterator[ast.expr]:
    """Yield the arguments of a loop's call of a function that may contain a module with a name there."""
    function = module.scope
    node, root = call.expression, root_of(module.expression)
    if not isinstance(node, ast.Call) or all(one.scope is not function for one in callees_of(ev, call)):
        # Other calls are in between, each of which may pass on anything.
        yield node
        return
    bound = 1 if function.is_method else 0
    for position, parameter in enumerate(function.parameters):
        if isinstance(root, ast.Name) and parameter.name == root.id:
            given = Caller.of_call(call, bound).argument(parameter) if position >= bound else (call.at(node.func),)
            yield from (one.expression for one in given or (call,))
            return
    yield module.expression


def _is_made_in(ev: Evaluator, module: Place, function: Scope) -> bool:
    """Tell whether each call of a function makes a module of its own."""
    origins = [one.origin for one in ev.evaluate(module)]
    return bool(origins) and all(one is not None and one.scope is function for one in origins)


def _is_same(node: ast.Assign) -> bool:
    """Tell whether an assignment only moves a module: `model = model.to(device)`."""
    value = node.value
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return any(written(value) == written(target) for target in node.targets)


def _owner(call: ast.expr) -> ast.expr:
    return call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else call
