"""Whether what a tensor holds comes into a loss: by names, returns and calls, from the place where it is read.

It is followed forward, and given up where gradients end: at comparisons, `detach()`, and what gives indices, sizes or
numbers. Of a loss, only what is predicted has gradients, so that targets come into none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.calls import Call
from torchlint.model.place import Caller, Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.value_sets import Built, Function
from torchlint.model.values.variable_reads import named_reads
from torchlint.pytorch.backward import BACKWARD
from torchlint.pytorch.gradient_ends import GRADIENT_ENDS
from torchlint.pytorch.losses import MEAN_LOSS_FUNCTIONS, MEAN_LOSSES
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# A tensor that comes into more places than that is followed no further.
_MOST_PLACES = 80


def reaches_loss(ev: Evaluator, starts: Iterable[Place]) -> bool:
    """Tell whether what is read at some places is a part of a loss, as far as that can be followed."""
    pending, seen = list(starts), set[ast.expr]()
    while pending and len(seen) < _MOST_PLACES:
        place = pending.pop()
        if place.expression in seen or not is_recorded(place):
            continue
        seen.add(place.expression)
        for further in _followed(ev, place):
            if further is None:
                return True
            pending.append(further)
    return False


def _followed(ev: Evaluator, place: Place) -> Iterator[Place | None]:
    """Yield where what is read at a place is read next; None where it is a part of a loss."""
    inner = place
    while (parent := place.parent) is not None:
        match parent.expression:
            case ast.Attribute(attr=name) if name in GRADIENT_ENDS:
                return
            case ast.Attribute(attr=name) if name in BACKWARD:
                yield None
                return
            case ast.Call(func=func) as node if func is not place.expression:
                call = Call(parent.file, node, parent.statement)
                if callee_name(node) in GRADIENT_ENDS:
                    return
                if _is_loss(ev, call):
                    yield from (None,) if place.expression is _predicted(call) else ()
                    return
                yield from _given(ev, call, place)
            case ast.Compare() | ast.Lambda() | ast.IfExp(test=place.expression):
                return
            case ast.Subscript(slice=index) if index is place.expression:
                return
        inner, place = place, parent
    yield from _from_statement(ev, place, inner)


def _is_loss(ev: Evaluator, call: Call) -> bool:
    if call.method in BACKWARD or call.callee.names & MEAN_LOSS_FUNCTIONS:
        return True
    return any(isinstance(one.value, Built) and one.value.name in MEAN_LOSSES for one in ev.evaluate(call.callee))


def _predicted(call: Call) -> ast.expr | None:
    given = call.argument("input", 0)
    return given.expression if given is not None else None


def _given(ev: Evaluator, call: Call, given: Place) -> Iterator[Place]:
    """Yield the reads of the parameter that functions of the project are given something for."""
    for function in callees_of(ev, call):
        caller = Caller.of_call(call, 1 if function.scope.is_method else 0)
        for parameter in function.scope.parameters:
            if any(one.expression is given.expression for one in caller.argument(parameter) or ()):
                yield from named_reads(function.file, function.scope, parameter.name)


def _from_statement(ev: Evaluator, place: Place, inner: Place) -> Iterator[Place]:
    """Yield the reads of the names that a statement binds, and the calls of a function that it returns from.

    `inner` is what the tensor is in, of the whole value: the second of `a, b = x, y` is bound to the second name.
    """
    match place.statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            pairs = zip(names, values, strict=True)
            yield from _reads_below(place, [name for name, one in pairs if one is inner.expression])
        case ast.Assign(targets=targets):
            yield from _reads_below(place, targets)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            yield from _reads_below(place, [target])
        case ast.Return():
            function = Function(place.file, place.scope)
            for caller in ev.callers(function)[:MOST_CALLERS]:
                if isinstance(caller.place.expression, ast.Call):
                    yield caller.place


def _reads_below(place: Place, targets: list[ast.expr]) -> Iterator[Place]:
    names = {one.id for target in targets for one in walk(target) if isinstance(one, ast.Name)}
    for name in sorted(names):
        reads = named_reads(place.file, place.scope, name)
        yield from (one for one in reads if one.line > place.line)
