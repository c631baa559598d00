"""A leaf that is lost in a move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity, quoted

from .placed import RANDOM, device_given, given_device, is_random, made_there

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class LostLeaf(Rule):
    """Create a leaf tensor where it is needed: a moved one is not a leaf.

    `torch.randn(3, requires_grad=True).to(device)` and `nn.Parameter(tensor).cuda()` create a leaf and keep only a copy
    that was computed from it. Gradients accumulate in the leaf, which is lost: `.grad` of the copy stays `None`, an
    optimizer raises `can't optimize a non-leaf Tensor`, and a module does not register the copy as a parameter, so it
    is neither trained nor saved. On a machine without a GPU the same line copies nothing and works. Where something is
    computed between, `(torch.randn(3, requires_grad=True) * 0.1).to(device)`, the leaf is lost on every machine.

    Pass `device=` to the function that creates the tensor, move it before `requires_grad_()`, or move the tensor that
    is passed to `nn.Parameter`.

    Not reported:

    - tensors whose gradient is not read
    - copies beside a leaf that is kept
    - copies with `retain_grad()`
    - moves to the device that the tensor is on already

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("requires_grad", "Parameter")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.leaves import lost_leaves

        for lost in lost_leaves(file.evaluator(), file):
            if lost.is_computed:
                message = "is computed from a lost leaf, and gets no `.grad`; call `requires_grad_()` on the result"
                fix = None
            elif lost.is_parameter:
                message = "is a copy, not an `nn.Parameter`, and is never trained; move its tensor before wrapping it"
                fix = _inside(lost.made, lost.place)
            else:
                message = "is a copy, not a leaf, and gets no `.grad`; create it on the device, with `device=`"
                fix = _leaf_there(lost.made, lost.place)
            yield self.finding(
                lost.place, f"{quoted(lost.place)} {message}", trace=(*lost.premises, *lost.story), fix=fix
            )


def _inside(made: Call, moved: Call) -> Fix | None:
    """`nn.Parameter(torch.zeros(2)).to(device)` → `nn.Parameter(torch.zeros(2).to(device))`."""
    is_whole = moved.bound_to or moved.is_returned
    if moved.owner is None or moved.owner.key != made.key or not is_whole or made.is_open or not made.arguments:
        return None
    move = moved.text.removeprefix(moved.owner.text)
    edits = (*made.arguments[0].edits.append(move), moved.owner.edits.end_with(moved))
    return Fix("Move the tensor inside the parameter", edits, safe=True)


def _leaf_there(made: Call, moved: Call) -> Fix | None:
    """`torch.zeros(2, requires_grad=True).to(device)` → `torch.zeros(2, device=device, requires_grad=True)`, or so."""
    factory = torchlint.call_at(made.owner) if made.method == "requires_grad_" and made.owner is not None else made
    # A `Variable` is made of a tensor, and takes no device.
    if factory is None or factory.is_open or "device" in factory.keywords or factory.method == "Variable":
        return None
    if moved.owner is None or moved.owner.key == made.key:
        return made_there(factory, moved)
    edits, device = given_device(factory, moved), device_given(moved)
    removed = moved.edits.remove(is_assigned=True)
    if not edits or not removed or device is None or not torchlint.is_same(device, made):
        return None
    doubt = RANDOM if is_random(factory) else ""
    return Fix("Create it on the device", (*edits, *removed), safe=not doubt, doubt=doubt)
