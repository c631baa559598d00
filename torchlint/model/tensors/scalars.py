"""Tensors with a single number and no dimension, as losses are."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Imported, Value
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.losses import REDUCING
from torchlint.pytorch.views import SAME_SIZE
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.scope import Binding
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_LOSS_CLASS = re.compile(r"torch\.nn\.(.*\.)?\w+Loss")
_LOSS_FUNCTION = re.compile(
    r"torch\.nn\.functional\.(\w+_loss|cross_entropy|binary_cross_entropy(_with_logits)?|kl_div)"
)


def is_old_number(ev: Evaluator, place: Place) -> bool:
    """Tell whether `loss.data[0]` reads the number of a scalar: it was one until PyTorch 0.5, and raises since.

    What `backward()` starts from is a scalar, too.
    """
    match place.expression:
        case ast.Subscript(value=ast.Attribute(value=owner, attr="data"), slice=ast.Constant(value=0)):
            return _starts_backward(place, written(owner)) or is_scalar(ev, place.at(owner))
        case _:
            return False


def _starts_backward(place: Place, name: str) -> bool:
    """Tell whether the function around a place calls `name.backward()`."""
    index = place.file.index
    return any(
        isinstance(call.func, ast.Attribute)
        and not (call.args or call.keywords)
        and written(call.func.value) == name
        and index.home[statement][0].scope is place.scope
        for call, statement in index.calls("backward")
    )


def is_scalar(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is surely a tensor with a single number and no dimension."""
    match place.expression:
        case ast.Call(func=ast.Attribute(attr="mean" | "sum"), args=[], keywords=[]):
            return True
        case ast.Call() as call if (whole := _taken_elementwise(ev, place, call)) is not None:
            return is_scalar(ev, place.at(whole))
        case ast.UnaryOp(operand=operand):
            return is_scalar(ev, place.at(operand))
        case ast.Call(func=function, args=arguments) as call:
            values = [one.value for one in ev.evaluate(place.at(function))]
            return bool(values) and all(reduces(ev, place, value, call) for value in values) and bool(arguments)
        case ast.Name():
            return _holds_scalar(ev, place)
        case ast.BinOp(left=left, right=right):
            sides = [place.at(side) for side in (left, right)]
            return any(is_scalar(ev, side) for side in sides) and all(
                isinstance(side.expression, (ast.Constant, ast.Attribute)) or is_scalar(ev, side) for side in sides
            )
        case _:
            return False


def _taken_elementwise(ev: Evaluator, place: Place, call: ast.Call) -> ast.expr | None:
    """Return what a call computes each element from: `x` of `torch.abs(x)` and of `x.abs()`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in SAME_SIZE:
        return None
    names = [one.value.name for one in ev.evaluate(place.at(call.func)) if isinstance(one.value, Imported)]
    if not names:
        return call.func.value
    return call.args[0] if call.args and names == [f"torch.{call.func.attr}"] else None


def reduces(ev: Evaluator, place: Place, called: Value, call: ast.Call) -> bool:
    """Tell whether a callee returns one number: a loss with its default reduction, `torch.mean(x)`."""
    match called:
        case Built(name=name) if _LOSS_CLASS.fullmatch(name):
            made = [one.origin for one in ev.evaluate(place.at(call.func)) if one.origin is not None]
            return all(isinstance(one.expression, ast.Call) and _keeps_default(one.expression) for one in made)
        case Imported(name=name) if _LOSS_FUNCTION.fullmatch(canonical(name)):
            return _keeps_default(call)
        case Imported(name=name) if name in REDUCING:
            return len(call.args) == 1 and not call.keywords
        case _:
            return False


def _keeps_default(call: ast.Call) -> bool:
    """Tell whether a loss takes the mean or the sum, as it does by default."""
    words = {word.arg: word.value for word in call.keywords}
    if None in words or "reduce" in words:
        return False
    reduction = words.get("reduction")
    return reduction is None or (isinstance(reduction, ast.Constant) and reduction.value in {"mean", "sum"})


def definitions(ev: Evaluator, place: Place) -> tuple[Binding, ...]:
    """Return the definitions of a name that reach a place."""
    assert isinstance(place.expression, ast.Name)
    bindings = place.scope.bindings.get(place.expression.id, ())
    return reaching(place.file.index, bindings, place.statement, ev.decide(place)).definitions


def sure_definitions(ev: Evaluator, place: Place) -> tuple[Binding, ...]:
    """Return the same, if nothing else may have bound the name; else none."""
    assert isinstance(place.expression, ast.Name)
    bindings = place.scope.bindings.get(place.expression.id, ())
    found = reaching(place.file.index, bindings, place.statement, ev.decide(place)) if bindings else None
    return found.definitions if found is not None and not found.open else ()


@tabled(False)
def _holds_scalar(ev: Evaluator, name: Place) -> bool:
    """Tell whether a name holds a scalar, or a number to which scalars are added: `loss = 0`, `loss += mse(x, y)`."""
    found = [one for one in _summed_definitions(ev, name) if one.value is not None and not one.selector]
    scalars = [
        one for one in found if one.value is not None and is_scalar(ev, Place(name.file, one.value, one.statement))
    ]
    return bool(scalars) and all(one in scalars or _is_number(one) for one in found)


def _is_number(binding: Binding) -> bool:
    """Tell whether a number is assigned, or something is added that the program holds for one: `loss += self.beta`."""
    numbers = (ast.Constant, ast.Attribute) if binding.kind == "augment" else ast.Constant
    return isinstance(binding.value, numbers)


def _summed_definitions(ev: Evaluator, name: Place) -> list[Binding]:
    """Return the definitions of a name that reach a place, and those of what one of them adds to."""
    found: list[Binding] = []
    pending = [name]
    while pending:
        for one in definitions(ev, pending.pop()):
            if one in found or one.kind not in {"assign", "augment"}:
                continue
            found.append(one)
            if isinstance(one.statement, ast.AugAssign):
                pending.append(Place(name.file, one.statement.target, one.statement))
    return found
