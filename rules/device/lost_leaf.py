"""A leaf that is lost in a move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity

from .placed import RANDOM, device_given, given_device, is_random, made_there

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class LostLeaf(Rule):
    """Make a leaf where it is needed; a moved one is a leaf no more.

    `torch.randn(3, requires_grad=True).to(device)` and `nn.Parameter(tensor).cuda()` make a leaf, copy it, and keep the
    copy, which was computed from the leaf. Gradients go to the leaf that nobody holds: `.grad` of the copy stays None,
    an optimizer refuses it (`can't optimize a non-leaf Tensor`), and as an attribute of a module it is not among the
    parameters, so it is neither trained nor saved. On a machine without a GPU the same line copies nothing and works.

    Pass `device=` to the function that makes the tensor, move before `requires_grad_()`, or move the tensor that goes
    into `nn.Parameter`. Left alone are tensors of which nobody reads the gradient, copies beside a leaf that is kept,
    those that `retain_grad()`, and moves to where the tensor is already.

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("requires_grad", "Parameter")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.leaves import lost_leaves

        for lost in lost_leaves(file.evaluator(), file):
            if lost.is_parameter:
                message = "is a copy and no parameter, so nobody trains it: move the tensor that goes into it"
            else:
                message = "is a copy and no leaf, and gets no `.grad`: make it on the device, with `device=`"
            fix = _inside(lost.made, lost.place) if lost.is_parameter else _leaf_there(lost.made, lost.place)
            yield self.finding(lost.place, message, trace=lost.story, fix=fix)


def _inside(made: Call, moved: Call) -> Fix | None:
    """`nn.Parameter(torch.zeros(2)).to(device)` → `nn.Parameter(torch.zeros(2).to(device))`."""
    is_whole = moved.bound_to or moved.is_returned
    if moved.owner is None or moved.owner.key != made.key or not is_whole or made.is_open or not made.arguments:
        return None
    move = moved.text.removeprefix(moved.owner.text)
    edits = (*made.arguments[0].edits.append(move), moved.owner.edits.end_with(moved))
    return Fix("Move the tensor that goes into the parameter", edits, safe=True)


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
    return Fix("Make it on the device", (*edits, *removed), safe=not doubt, doubt=doubt)
