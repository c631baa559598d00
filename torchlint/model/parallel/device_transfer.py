"""What becomes of tensors that are moved to other devices, also by the wrapper that receives them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.parallel.wrappers import moves_inputs
from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_of_its_call
from torchlint.model.values.value_sets import HOST, Device, Display, Instance, Possibility, Tensor, Tuple, ValueSet
from torchlint.syntax.arguments import has_star

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.values.value_sets import Frame


_HOST: frozenset[Device | None] = frozenset({HOST})
# A batch of pairs of tensors. `state = (state, batch)` in a loop contains itself, deeper with every iteration.
_MOST_INSIDE = 3


def transferred(
    ev: Evaluator, found: ValueSet, here: frozenset[Device | None], there: Device | None, inside: int = 0
) -> ValueSet:
    """Return the same with the tensors on some devices moved to another, those in containers and objects included.

    `inside` is how many tuples these are in.
    """
    return tuple(_one_transferred(ev, one, here, there, inside) for one in found)


def scattered(ev: Evaluator, frame: Frame, passed: ValueSet) -> ValueSet:
    """Return an argument as the `forward` of a call receives it: not on the host any more if a wrapper moves it."""
    is_open = any(isinstance(one.value, (Tensor, Display)) for one in passed)
    if not is_open or isinstance(frame.function, ast.Lambda) or frame.function.name != "forward" or frame.call is None:
        return passed
    call = frame.call.expression
    callees = ev.evaluate(frame.call.at(call.func)) if isinstance(call, ast.Call) else ()
    is_moved = bool(callees) and all(_brings_inputs(ev, one) for one in callees)
    return transferred(ev, passed, _HOST, None) if is_moved else passed


def _brings_inputs(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether something is a wrapper that moves the inputs of its module."""
    is_own = isinstance(one.value, Instance) and method_of(ev, one.value.kind, "forward") is not None
    return not is_own and moves_inputs(ev, one)


def _one_transferred(
    ev: Evaluator, one: Possibility, here: frozenset[Device | None], there: Device | None, inside: int
) -> Possibility:
    match one.value:
        case Tensor(device=device) as tensor if device in here:
            return one.of_value(replace(tensor, device=there))
        case Display(place=Place(expression=ast.Tuple(elts=items)) as place) if not has_star(items):
            if inside >= _MOST_INSIDE:
                return one
            each = (transferred(ev, ev.evaluate(place.at(item)), here, there, inside + 1) for item in items)
            return one.of_value(Tuple(tuple(each)))
        case Display(place=place, moves=moves) as display if _is_made_anew(place) and (here, there) not in moves:
            return one.of_value(replace(display, moves=(*moves, (here, there))))
        case Instance(moves=moves) as made if _is_record(ev, one) and (here, there) not in moves:
            return one.of_value(replace(made, moves=(*moves, (here, there))))
        case _:
            return one


def _is_made_anew(written: Place) -> bool:
    """Tell whether each call makes a display: what it returns, or what its object keeps, `self.seen.append({…})`."""
    match written.statement:
        case ast.Assign(targets=[ast.Attribute()]) | ast.Expr():
            return not isinstance(written.expression, ast.Lambda) and written.scope.is_method
        case _:
            return is_of_its_call(written)


def _is_record(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether an object is made by the call that returns it, and is no module: `return Output(logits, loss)`."""
    return one.origin is not None and is_of_its_call(one.origin) and not is_module(ev, one.value)
