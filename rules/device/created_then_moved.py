"""A tensor that is made on the CPU for the GPU, at every step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity, quoted

from .placed import all_made_there, device_given, made_like
from .retyped import is_old

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile

# `torch.FloatTensor` makes tensors on the CPU alone: it rejects any other `device=` (torch 2.13).
_WITHOUT_DEVICE = "create it with `torch.full` and `device=`"
_OF_RANGE = "create it with `torch.arange` and `device=`"
_SHARES_MEMORY = "a view shares memory with its base: in-place operations or `.view` on it may raise"
_OTHER_DIGITS = "the last digits may differ between the GPU and the CPU"
_STAYS_PARAMETER = "what is no longer moved stays an `nn.Parameter`, which a module registers as an attribute"


class CreatedThenMoved(Rule):
    """Create a tensor on the device where it is needed, with `device=`.

    `torch.zeros(n).to(device)` allocates the tensor in CPU memory, copies it to the GPU and waits for the copy;
    `torch.zeros(n, device=device)` creates it there. Once, this costs nothing and is not reported. In a module's
    `forward`, in functions that it calls and in a training loop, it costs time in every step.

    The rule also reports what is computed from such a tensor before the move: `torch.cat`, a sum with a number, `exp`
    or `sin`, grids, triangles, views, parts and filled tensors. The tensor may have a name that is not read before the
    move. `.to(x)`, `.type_as(x)` and `.type(x.type())` are moves, too; they also take the dtype of `x`.

    Not reported:

    - random tensors, as the CPU generates the same numbers on every machine
    - tensors in pinned memory, and changes of dtype
    - tensors that are created once and kept, as behind `if self.mask is None:`
    - tensors without elements (`torch.zeros(0, 4)`)
    - `torch.tensor(…)`, whose numbers come from the CPU anyway, unless they come from a `range`
    - programs that set the default device once (`torch.set_default_device`)

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
            cure = _cure(made, is_counted=making.is_counted)
            often = "step" if created.is_in_step else "`forward`"
            message = f"{quoted(call)} creates a tensor on the CPU and copies it in every {often}; {cure}"
            yield self.finding(call, message, trace=created.story, fix=fix)


def _cure(made: Iterable[Call], *, is_counted: bool) -> str:
    if is_counted:
        return _OF_RANGE
    return _WITHOUT_DEVICE if any(map(is_old, made)) else "pass `device=` to create it there"


def _is_known_at(device: Place | None, places: Iterable[Place]) -> bool:
    """Tell whether a device is bound before something is made that is moved in a later statement."""
    return all(device is not None and (device.is_constant or torchlint.is_same(device, place)) for place in places)
