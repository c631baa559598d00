"""A leaf that is lost in a move."""

from __future__ import annotations

from collections.abc import Iterator

from torchlint import Confidence, Finding, Rule, Severity, SourceFile


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
        for lost in file.lost_leaves():
            if lost.is_parameter:
                message = "is a copy and no parameter, so nobody trains it: move the tensor that goes into it"
            else:
                message = "is a copy and no leaf, and gets no `.grad`: make it on the device, with `device=`"
            yield self.finding(lost.place, message, trace=lost.story)
