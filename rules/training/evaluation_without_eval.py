"""Modules that are evaluated in the mode in which they are trained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class EvaluationWithoutEval(Rule):
    """Put a module into eval mode before it is evaluated.

    A module is made in train mode, and stays in it until somebody calls `eval()`: dropout drops, and batch norm goes by
    the batch at hand and learns from it. What is predicted then differs from call to call, and with what else is in the
    batch, and is worse than the module could do. `torch.no_grad()` and `torch.inference_mode()` only keep autograd from
    recording; they say nothing of the mode. Call `model.eval()` before evaluating, and `model.train()` where training
    goes on.

    Reported are modules that surely have dropout or batch norm, are trained or loaded, and are called where nothing is
    recorded: in loops over batches, or in programs that never train. Left alone are modules that anybody may put into
    eval mode, what runs within a training step, as teachers and targets do, and what samples on purpose.

    https://docs.pytorch.org/docs/stable/notes/autograd.html#evaluation-mode-nn-module-eval
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("no_grad", "inference_mode", "set_grad_enabled")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.left_in_train import left_in_train

        for found in left_in_train(file.evaluator(), file):
            learned = found.learned.step("what it has learned is loaded or trained here")
            yield self.finding(
                found.call,
                "drops, or goes by the batch, as in training: call `eval()` before, `train()` before training on",
                trace=(learned,),
            )
