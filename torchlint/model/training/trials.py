"""Loops over trials: each iteration builds what it trains, as in a test of several configurations.

What such an iteration does once is done once for each model, not at every step of its training.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.containers.displays import elements_of
from torchlint.model.parallel.wrappers import wrapper_name
from torchlint.model.place import Place
from torchlint.model.roles import is_a
from torchlint.model.values.value_sets import Built, Display, Possibility, Unknown, Value
from torchlint.pytorch.moves import MOVES
from torchlint.pytorch.roles import Role
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.scope import Binding, Scope
from torchlint.syntax.walk import names_under, walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# What has nothing to train is built again for convenience.
_UNTRAINED = re.compile(r"Loss|Criterion|ReLU|Pool|Dropout|Flatten|oftmax|igmoid|Tanh|Pad|Upsample", re.IGNORECASE)


def builds_what_it_trains(ev: Evaluator, loop: ast.stmt | None, chain: Sequence[Place]) -> bool:
    """Tell whether a loop, or a function, builds the module that a training step in it trains, each time it runs.

    `chain` are the call in the loop that leads to the step, the calls on the path, and the step itself.
    """
    return any(
        _builds(ev, binding, place)
        for place in chain
        for binding in _made_of(place, loop if place is chain[0] else None)
    )


def _made_of(place: Place, loop: ast.stmt | None) -> Iterator[Binding]:
    """Yield the assignments, in the same iteration, of the names that an expression uses, transitively."""
    pending = [(place.expression, 0)]
    seen: set[str] = set()
    while pending:
        expression, depth = pending.pop()
        names = names_under(expression) - seen
        seen |= names
        for binding in (one for name in sorted(names) for one in place.scope.bindings.get(name, ())):
            if binding.value is None or binding.kind != "assign":
                continue
            if loop is not None and not place.file.index.is_in_body(binding.statement, loop):
                continue
            yield binding
            if depth < NESTED:
                pending.append((binding.value, depth + 1))


def _builds(ev: Evaluator, binding: Binding, place: Place) -> bool:
    """Tell whether an assignment makes an optimizer, or a module with something to train."""
    assert binding.value is not None
    if _is_moved_and_called(ev, binding, place):
        return True
    calls = (node for node in walk(binding.value) if isinstance(node, ast.Call))
    return any(_is_built(ev, Place(place.file, call, binding.statement)) for call in calls)


def _is_moved_and_called(ev: Evaluator, binding: Binding, place: Place) -> bool:
    """Tell whether an object of an unknown class is used as a module: `net = Net(64).cuda()`, `net(rows)`."""
    match binding.value:
        case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr=name)) if name in MOVES:
            made_there = Place(place.file, made, binding.statement)
            is_class = callee_name(made)[:1].isupper() and not _UNTRAINED.search(callee_name(made))
            kinds = [one.value for one in ev.evaluate(made_there)] if is_class else []
            is_open = any(isinstance(one, (Built, Unknown)) and not _is_of_torch(one) for one in kinds)
            calls = place.file.calls_of(place.scope, binding.name)
            return is_open and any(isinstance(call.func, ast.Name) for call, _ in calls)
        case _:
            return False


def _is_of_torch(value: Value) -> bool:
    return isinstance(value, Built) and value.name.startswith("torch.")


def _is_built(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call makes a module or optimizer, and does not only pass one on."""
    assert isinstance(call.expression, ast.Call)
    name = callee_name(call.expression)
    if not name[:1].isupper():
        return _is_built_within(ev, call)
    return not _UNTRAINED.search(name) and any(
        one.origin is not None and one.origin.expression is call.expression and _is_trained(ev, one)
        for one in ev.evaluate(call)
    )


def _is_built_within(ev: Evaluator, call: Place) -> bool:
    """Tell whether a function of the project makes a module with its optimizer: `net, adam = build(settings)`."""
    makers = {function.scope for function in callees_of(ev, call)}
    returned = ev.evaluate(call) if makers else ()
    return any(_is_with_its_optimizer(ev, one, makers) for one in returned if isinstance(one.value, Display))


def _is_with_its_optimizer(ev: Evaluator, returned: Possibility, makers: set[Scope]) -> bool:
    """Tell whether something is returned with the optimizer made of it: `return net, Adam(net.parameters())`."""
    assert isinstance(returned.value, Display)
    beside = names_under(returned.value.place.expression)
    made = [one.origin for one in elements_of(ev, (returned,)) if is_a(ev, one.value, Role.OPTIMIZER)]
    return any(one is not None and one.scope in makers and beside & names_under(one.expression) for one in made)


def _is_trained(ev: Evaluator, one: Possibility) -> bool:
    return is_a(ev, one.value, Role.OPTIMIZER) or (is_module(ev, one.value) and wrapper_name(ev, one) is None)
