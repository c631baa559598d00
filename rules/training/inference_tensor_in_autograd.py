"""Tensors of inference mode that autograd refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_WHAT = {
    "changed": "changes an inference tensor in place, which raises outside of inference mode",
    "given gradients": "raises, as an inference tensor cannot require gradients",
    "saved": "raises, as {0} is an inference tensor, which autograd cannot save",
}


class InferenceTensorInAutograd(Rule):
    """Compute under `no_grad`, not `inference_mode`, what autograd uses later.

    `torch.inference_mode()` is faster than `torch.no_grad()`, as its tensors have no version counter and no part in
    autograd, ever. Outside of it they raise: `Inference tensors cannot be saved for backward` where a layer with
    weights or a loss gets one, `Inplace update to inference tensor outside InferenceMode is not allowed` where one is
    changed, and `Setting requires_grad=True on inference tensor` where it is to be a leaf. Use `torch.no_grad()` for
    the features of a frozen backbone or the targets of a teacher, or pass `.clone()`.

    Not reported:

    - views in inference mode of tensors that were made before: these are normal tensors
    - operations that save nothing for backward, such as an addition
    - frozen modules, and calls in a `try`
    - tensors that are kept in containers or in attributes

    https://docs.pytorch.org/docs/stable/notes/autograd.html#inference-mode
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("inference_mode",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.inference_uses import inference_uses

        for found in inference_uses(file.evaluator(), file):
            what = _WHAT[found.how].format(quoted(found.tensor))
            yield self.finding(found.place, f"{quoted(found.place)} {what}; compute it under `torch.no_grad()`")
