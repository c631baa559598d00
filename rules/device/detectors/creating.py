"""Tensors that are made on the host only to be moved to where they could have been made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.devices.default_device import may_be_default
from torchlint.model.devices.moving import moved_to, typed_like
from torchlint.model.training.forwards import every_step_or_forward
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import HOST, Array, Device, Imported, Literal, Tensor
from torchlint.pytorch.dimensions import SIZED
from torchlint.pytorch.moves import MOVES_OF_TENSORS
from torchlint.syntax.device_words import is_about_device

from .making import Making, making_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.training.call_paths import Story

# Functions that take the lengths of dimensions, one by one or in a tuple.
_MOVING = MOVES_OF_TENSORS - {"cpu"}
_SIZED = SIZED | {"full"}


@dataclass(frozen=True, slots=True)
class CreatedThenMoved:
    """A call that repeatedly moves what is made for it and could have been made there."""

    call: Call
    making: Making
    """The calls of the factories."""
    story: Story
    """The loop that repeats it, unless it is in a module's `forward`."""
    is_in_step: bool
    """Whether a known loop trains with it: else it runs with each `forward`, possibly of an evaluation."""
    like: Place | None
    """The tensor whose device and type it takes over: `.to(x)`."""


def created_then_moved(ev: Evaluator, file: ParsedFile) -> Iterator[CreatedThenMoved]:
    """Yield where a file moves at every step what was just made, in source order; `ev` has a GPU."""
    if may_be_default(ev, file):
        return
    training = step_loops_of(ev.project)
    for call in method_calls_of(file, _MOVING):
        making = making_of(ev, call.owner) if call.owner is not None else None
        if making is None or all(map(_is_empty, making.calls)) or not _is_move(ev, call):
            continue
        if (story := every_step_or_forward(ev, training, call)) is not None:
            made = tuple(one.step("created on the CPU here") for one in making.held)
            is_in_step = training.every_step(call) is not None
            yield CreatedThenMoved(call, making, (*made, *story), is_in_step, _other(ev, call))


def _is_empty(call: Call) -> bool:
    """Tell whether a factory makes a tensor without elements, so that nothing is copied: `torch.zeros(0, 4)`."""
    if call.method not in _SIZED:
        return False
    assert isinstance(call.expression, ast.Call)
    given = call.expression.args[: 1 if call.method == "full" else None]
    sizes = [call.keywords["size"].expression] if "size" in call.keywords else given
    return any(
        isinstance(length, ast.Constant) and type(length.value) is int and length.value == 0
        for size in sizes
        for length in (size.elts if isinstance(size, (ast.List, ast.Tuple)) else (size,))
    )


def _is_move(ev: Evaluator, call: Call) -> bool:
    """Tell whether `.to(…)` has a device that may be another than the host, and not only a type.

    `.type_as(x)` takes the device of `x` as well: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.type_as.html
    """
    if call.method == "type":
        # An argument that may be any type is most often no move.
        after = moved_to(ev, call, "type", HOST)
        return after != HOST and (after is not None or _other(ev, call) is not None)
    argument = call.argument("device", 0) or call.argument("other")
    if argument is None:
        return call.method == "cuda"
    values = [one.value for one in ev.evaluate(argument)]
    # An input of `forward` counts as a tensor; it may be a type.
    if argument.word.endswith("dtype") or any(isinstance(value, (Imported, Array)) for value in values):
        return False
    is_named = any(isinstance(value, (Device, Tensor)) or _is_text(value) for value in values)
    if not is_named and not is_about_device(argument.code):
        return False
    return moved_to(ev, call, call.method, None) != HOST


def _other(ev: Evaluator, call: Call) -> Place | None:
    """Return the tensor in `.to(x)`, `.type_as(x)` or `.type(x.type())`, if a tensor is the only argument."""
    argument = call.argument("other", 0) if call.method != "cuda" and len(call.arguments) < 2 else None
    if call.method == "type" and argument is not None:
        argument = typed_like(argument)
    if argument is None or not argument.is_name or is_about_device(argument.code):
        return None
    possible = ev.evaluate(argument)
    return argument if possible and all(isinstance(one.value, Tensor) for one in possible) else None


def _is_text(value: object) -> bool:
    return isinstance(value, Literal) and isinstance(value.value, (str, int))
