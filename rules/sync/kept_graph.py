"""A graph kept from step to step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import TRAINING_WORDS, Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class KeptGraph(Rule):
    """Detach a loss before you accumulate it.

    A loss holds a reference to the graph that computed it. `total += loss`, `losses.append(loss)`, `losses =
    torch.cat((losses, loss))`, `mean = 0.9 * mean + 0.1 * loss` and a meter that is passed the loss keep the graphs of
    all steps, and memory grows until it runs out. An evaluation that collects the outputs of a model without `no_grad`
    does the same: `eval()` does not disable the graph.

    Not reported:

    - sums that `backward()` is called on
    - values computed under `no_grad`, and numbers
    - losses that are detached

    https://docs.pytorch.org/docs/stable/notes/faq.html#my-model-reports-cuda-runtime-error-2-out-of-memory
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("+", "-", "append", "extend(", "insert(", "update(", "] = ", "[*", "add", "sub", "lerp", "cat", "stack(")
    project_words = (*TRAINING_WORDS, "eval")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.kept_graphs import kept_graphs

        for kept in kept_graphs(file.evaluator(), file):
            if kept.is_evaluated:
                story = file.every_evaluated_batch(kept.place) or ()
                cure = "evaluate under `torch.no_grad()`"
            else:
                story = file.every_step(kept.place) or ()
                cure = (
                    f"use {quoted(kept.tensor.code + '.detach()')}"
                    if kept.tensor.is_name
                    else "detach the tensor first"
                )
            is_fixable = not kept.is_evaluated and kept.tensor.statement is kept.place.statement
            fix = _detached(kept.tensor, file) if is_fixable and not kept.is_state else None
            when = "iteration" if kept.is_evaluated else "step"
            message = f"{quoted(kept.place)} keeps the graph of every {when} in memory; {cure}"
            yield self.finding(kept.place, message, trace=(*kept.premises, *story), fix=fix)


def _detached(tensor: Place, file: SourceFile) -> Fix | None:
    """Return the fix for what is always a tensor when it is kept: a number has no `detach`."""
    around = file.class_around(tensor)
    # What a module adds up may be what it computes with.
    if around is not None and around.is_module:
        return None
    if not all(isinstance(one.value, (torchlint.Tensor, torchlint.Unknown)) for one in tensor.possibilities()):
        return None
    return Fix("Detach the tensor", tensor.edits.append(".detach()"), safe=True)
