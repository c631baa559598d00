"""A Trainer that keeps the logits of a whole evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class CollectedLogits(Rule):
    """Reduce the logits of a language model before the Trainer collects them.

    With `compute_metrics` the Trainer of Transformers keeps the outputs of all batches of an evaluation on the GPU
    until the last one. Those of a language model have a number for each token of the vocabulary: 1,000 texts of 512
    tokens and a vocabulary of 50,000 take 100 GB in single precision, and the evaluation runs out of memory. Where the
    metric takes the `argmax`, `preprocess_logits_for_metrics=lambda logits, labels: logits.argmax(-1)` keeps a number
    for each position instead. `eval_accumulation_steps=n` moves what is kept to the host with every n-th batch.

    Not reported:

    - models whose outputs may be small, such as those for classification
    - metrics that may need the logits themselves
    - Trainers whose arguments come from the command line, or that evaluate in methods of their own

    https://huggingface.co/docs/transformers/main_classes/trainer#transformers.Trainer
    https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
    """

    severity = Severity.WARNING
    confidence = Confidence.MEDIUM
    words = ("compute_metrics",)
    project_words = ("Trainer",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.collected_logits import collected_logits

        for found in collected_logits(file.evaluator(), file):
            yield self.finding(
                found.trainer,
                f"{quoted(found.trainer)} keeps the logits of a whole evaluation on the GPU; take the"
                " `argmax` in `preprocess_logits_for_metrics`",
                trace=(found.maximum.step("the metric takes the maxima alone here"),),
            )
