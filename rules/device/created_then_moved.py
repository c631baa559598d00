"""A tensor that is made on the CPU for the GPU, step after step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity

from .placed import all_made_there, device_given, made_like
from .retyped import is_old

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile

# `torch.FloatTensor` makes tensors on the CPU alone: it refuses any other `device=` (torch 2.13).
_WITHOUT_DEVICE = "make it on the device, with `torch.full` and `device=`"
_OF_RANGE = "count on the device, with `torch.arange` and `device=`"
_SHARES_MEMORY = "a view keeps the memory of what it is a view of: writing into it, or `.view`, may raise"
_OTHER_DIGITS = "the last digits of what is computed there may be others than those of the CPU"
_STAYS_PARAMETER = "what is not moved any more stays an `nn.Parameter`, which an attribute of a module registers"


class CreatedThenMoved(Rule):
    """Make a tensor on the device where it is needed, with `device=`.

    `torch.zeros(n).to(device)` makes the tensor in the memory of the CPU, copies it over the bus and waits for that;
    `torch.zeros(n, device=device)` makes it there, and nobody waits. Once, that is nothing, and is left alone; in a
    module's `forward`, what that calls and in a training loop it is paid with every step. So it is for a `torch.cat`
    of such tensors, a sum with a number, an `exp` or `sin` of one, a grid, a triangle, a view or a part of one, one
    that is filled, one that has a name which nobody reads before it is moved, and for `.to(x)`, `.type_as(x)` and
    `.type(x.type())`, which take the type of `x` as well.

    Left alone as well are random tensors, for the CPU's numbers may be wanted, which are the same on every machine,
    tensors in pinned memory, changes of type, what is made once and kept, as behind `if self.mask is None:`, tensors
    without elements (`torch.zeros(0, 4)`), of which there is nothing to copy, and `torch.tensor(…)`, which brings its
    numbers from the CPU anyway, unless it counts them by `range`. So are programs that say once where tensors are made
    (`torch.set_default_device`).

    https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (".to(", ".cuda(", ".type_as(", ".type(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.creating import created_then_moved

        for created in created_then_moved(file.evaluator(torchlint.WITH_CUDA), file):
            making, call, like = created.making, created.call, created.like
            made, doubt = making.calls, _STAYS_PARAMETER if making.is_parameter else ""
            if making.is_view:
                doubt = _SHARES_MEMORY
            elif making.is_rounded:
                doubt = _OTHER_DIGITS
            if (
                making.is_counted
                or not making.is_always_taken
                or not _is_known_at(like or device_given(call), making.held)
            ):
                fix = None
            elif like is not None:
                fix = made_like(made, call, like, doubt=doubt)
            else:
                fix = all_made_there(made, call, doubt=doubt)
            message = f"is made on the CPU and copied on every step: {_cure(made, is_counted=making.is_counted)}"
            yield self.finding(call, message, trace=created.story, fix=fix)


def _cure(made: Iterable[Call], *, is_counted: bool) -> str:
    if is_counted:
        return _OF_RANGE
    return _WITHOUT_DEVICE if any(map(is_old, made)) else "pass `device=` and make it on the device"


def _is_known_at(device: Place | None, places: Iterable[Place]) -> bool:
    """Tell whether a device has its name already where something is made that is moved in a later statement."""
    return all(device is not None and (device.is_constant or torchlint.is_same(device, place)) for place in places)
