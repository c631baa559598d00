"""Tensors that are made on the host and moved at once, where they could have been made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call
from torchlint.model.device_words import is_about_device
from torchlint.model.moving import moved_to
from torchlint.model.throttles import is_thinned
from torchlint.model.torch_facts import legacy_device
from torchlint.model.values import HOST, Array, Device, Imported, Literal, Tensor

if TYPE_CHECKING:
    from torchlint.model.entering import Story
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.sourcefile import SourceFile

# The same numbers wherever they are made; `tensor` and `from_numpy` bring theirs from the host anyway.
_FACTORIES = frozenset(f"torch.{name}" for name in "zeros ones full empty eye arange linspace logspace".split())
_CONVERTING = frozenset({"float", "double", "half", "bfloat16", "long", "int", "bool"})
# The same numbers in another shape. Not `expand`: what is moved has memory for each number, what is expanded has not.
_SHAPING = frozenset({"view", "reshape", "unsqueeze", "squeeze", "flatten", "t", "transpose", "permute", "repeat"})
# The same numbers whatever was there before.
_FILLING = frozenset({"fill_", "zero_"})
# Who says one of these has a reason to make the tensor where it does.
_PLACING = frozenset({"device", "out", "pin_memory", "requires_grad"})


@dataclass(frozen=True, slots=True)
class CreatedThenMoved:
    """A call that moves, again and again, what is made for it and could have been made there."""

    call: Call
    made: Call
    """The call of the factory."""
    story: Story
    """The loop that repeats it, where it is not a module's `forward`."""


def created_then_moved(ev: Evaluator, file: SourceFile) -> Iterator[CreatedThenMoved]:
    """Yield where a file moves with every step what was just made, in source order."""
    for call in file.method_calls("to", "cuda"):
        made = _made(call)
        if made is None or made.is_open or not _brings_nothing(made) or _PLACING & made.keywords.keys():
            continue
        story = file.every_step(call)
        if (story is not None or _is_in_forward(ev, call)) and _is_move(ev, call):
            yield CreatedThenMoved(call, made, story or ())


def _is_in_forward(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call is made with each call of a module."""
    function, kind = call.file.function_around(call), call.file.class_around(call)
    is_forward = function is not None and function.name == "forward"
    return is_forward and kind is not None and kind.is_module and not is_thinned(ev, call)


def _made(call: Call) -> Call | None:
    """Return the call that makes what a method is called on, what fills, shapes or converts in between left out."""
    owner = call.owner
    made = call.file.call_at(owner) if owner is not None else None
    if made is not None and made.owner is not None and made.method in _CONVERTING | _SHAPING | _FILLING:
        return _made(made)
    if made is not None and "torch.autograd.Variable" in made.callee.names and made.arguments:
        return None if made.keywords else made.file.call_at(made.arguments[0])
    return made


def _brings_nothing(made: Call) -> bool:
    """Tell whether a call makes numbers that are the same everywhere: `zeros(2)`, `FloatTensor(2).fill_(0)`."""
    if made.callee.names & _FACTORIES:
        return True
    filled = made.parent.expression if made.parent is not None else None
    is_filled = isinstance(filled, ast.Attribute) and filled.attr in _FILLING
    return is_filled and any(legacy_device(name) == "cpu" for name in made.callee.names)


def _is_move(ev: Evaluator, call: Call) -> bool:
    """Tell whether `.to(…)` names a device that may be another than the host, and not only a type."""
    argument = call.argument("device", 0) or call.argument("other")
    if argument is None:
        return call.method == "cuda"
    values = [one.value for one in ev.evaluate(argument)]
    if any(isinstance(value, (Imported, Array)) for value in values):
        return False
    is_named = any(isinstance(value, (Device, Tensor)) or _is_text(value) for value in values)
    if not is_named and not is_about_device(argument.text):
        return False
    return moved_to(ev, call, call.method, None) != HOST


def _is_text(value: object) -> bool:
    return isinstance(value, Literal) and isinstance(value.value, (str, int))
