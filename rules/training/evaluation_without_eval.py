"""Modules that are evaluated in train mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class EvaluationWithoutEval(Rule):
    """Switch a module to eval mode before it is evaluated.

    A module is created in training mode, and stays in it until `eval()` is called: dropout is active, and batch norm
    uses and updates the statistics of the current batch. Predictions then differ from call to call and depend on the
    other samples in the batch. `torch.no_grad()` and `torch.inference_mode()` do not change the mode. Call
    `model.eval()` before evaluating, and `model.train()` before training continues.

    Reported are modules that certainly have dropout or batch norm, are trained or loaded, and are called without
    gradients: in loops over batches, or in programs that never train. A loop that autograd records evaluates as well if
    it only reads numbers of the results; such findings have medium confidence.

    Not reported:

    - modules that any code may switch to eval mode
    - calls within a training step, such as teachers and targets
    - sampling on purpose

    https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("no_grad", "inference_mode", "set_grad_enabled", ".item(", ".detach(", ".argmax(", ".tolist(", ".numpy(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.left_in_train import left_in_train

        for found in left_in_train(file.evaluator(), file):
            learned = found.learned.step("loaded or trained here")
            module = found.call.callee
            yield self.finding(
                found.call,
                f"{quoted(module)} is evaluated in training mode (dropout or batch norm is active); "
                f"call {quoted(f'{module.code}.eval()')} first",
                trace=(learned,),
                confidence=Confidence.MEDIUM if found.is_recorded else None,
            )
