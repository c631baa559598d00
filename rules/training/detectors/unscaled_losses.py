"""Means that are accumulated over several batches, and not divided by their number."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.tensors.makers import Maker, makers
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Tensor
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.losses import MEAN_LOSS_FUNCTIONS, MEAN_LOSSES, MEANS
from torchlint.pytorch.optimizers import FOLLOWS_SCALE
from torchlint.syntax.last_names import last_name
from torchlint.syntax.walk import walk, written

from .every_nth import every_nth
from .iteration_order import innermost_loop, optimizer_of
from .throttled_steps import throttled_step

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.exits import LoopNode

_BACKWARD = frozenset({"backward"})


@dataclass(frozen=True, slots=True)
class UnscaledLoss:
    """A mean that `backward()` starts from in each iteration, and the step that is made with every n-th."""

    backward: Call
    loss: Place
    step: Call
    number: str
    """The n, as text."""


def unscaled_losses(ev: Evaluator, file: ParsedFile) -> Iterator[UnscaledLoss]:
    """Yield the means of a file whose gradients are summed over several batches, in source order."""
    for backward in method_calls_of(file, _BACKWARD):
        loop = innermost_loop(backward)
        if loop is None or backward.owner is None or backward.arguments or every_nth(backward) is not None:
            continue
        if (found := throttled_step(ev, backward, loop)) is None:
            continue
        step, number = found
        loss = _started_from(backward.owner)
        if not _is_scaled(loss, loop, number) and _follows_scale(ev, step) and _is_mean(ev, loss):
            yield UnscaledLoss(backward, loss, step, written(number))


def _started_from(owner: Place) -> Place:
    """Return the loss: of `scaler.scale(loss).backward()` what is scaled."""
    match owner.expression:
        case ast.Call(func=ast.Attribute(attr="scale"), args=[scaled]):
            return owner.at(scaled)
        case _:
            return owner


def _is_scaled(loss: Place, loop: LoopNode, number: ast.expr) -> bool:
    """Tell whether anything in the file is divided by n, or changes the loss or the gradients in the loop."""
    name = written(loss.expression)
    for node in walk(loop):
        if isinstance(node, ast.Attribute) and node.attr == "grad":
            return True
        if isinstance(node, ast.AugAssign) and written(node.target) == name:
            return True
    return any(_divides(node, number) for node in walk(loss.file.tree))


def _divides(node: ast.AST, number: ast.expr) -> bool:
    """Tell whether something is divided by n; the number of batches says nothing about the loss."""
    match node:
        case ast.BinOp(left=left, op=ast.Div() | ast.Mult(), right=right):
            return _is_number(right, number) and "len(" not in written(left)
        case ast.AugAssign(op=ast.Div() | ast.Mult(), value=value):
            return _is_number(value, number)
        case ast.Call(func=ast.Attribute(attr="div" | "div_" | "mul" | "mul_"), args=[value]):
            return _is_number(value, number)
        case _:
            return False


def _is_number(node: ast.expr, number: ast.expr) -> bool:
    if isinstance(number, ast.Constant):
        return isinstance(node, ast.Constant) and node.value == number.value
    return any(isinstance(one, (ast.Name, ast.Attribute)) and last_name(one) == last_name(number) for one in walk(node))


def _follows_scale(ev: Evaluator, step: Call) -> bool:
    """Tell whether larger gradients surely make longer steps."""
    optimizer = optimizer_of(step)
    made = ev.evaluate(optimizer) if optimizer is not None else ()
    kinds = {canonical(one.value.name) if isinstance(one.value, Built) else "" for one in made}
    return bool(kinds) and kinds <= FOLLOWS_SCALE


@tabled(False)
def _is_mean(ev: Evaluator, place: Place) -> bool:
    """Tell whether a tensor surely is the mean of a batch, or a sum with one."""
    possible = ev.evaluate(place)
    return bool(possible) and all(
        isinstance(one.value, Tensor) and one.origin is not None and _is_made_as_mean(ev, one.origin)
        for one in possible
    )


def _is_made_as_mean(ev: Evaluator, made: Place) -> bool:
    match made.expression:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return any(_is_mean(ev, made.at(side)) for side in (left, right))
        case ast.Call():
            found = list(makers(ev, made))
            return bool(found) and all(one is not None and _takes_mean(ev, one) for one in found)
        case _:
            return False


def _takes_mean(ev: Evaluator, maker: Maker) -> bool:
    """Tell whether a call computes a mean, by its callee and how that was made."""
    call = maker.call.expression
    assert isinstance(call, ast.Call)
    if maker.name in MEANS:
        return True
    if maker.name in MEAN_LOSS_FUNCTIONS:
        return _keeps_default(call)
    origins = [one.origin for one in ev.evaluate(maker.call.at(call.func))]
    made = [one.expression for one in origins if one is not None]
    is_plain = bool(made) and all(isinstance(one, ast.Call) and _keeps_default(one) for one in made)
    return maker.name in MEAN_LOSSES and is_plain


def _keeps_default(call: ast.Call) -> bool:
    """Tell whether a loss takes the mean by default."""
    words = {word.arg: word.value for word in call.keywords}
    reduction = words.get("reduction")
    is_mean = reduction is None or (isinstance(reduction, ast.Constant) and reduction.value == "mean")
    return is_mean and not {None, "reduce", "size_average"} & set(words)
