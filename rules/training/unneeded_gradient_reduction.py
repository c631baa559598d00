"""Gradients that processes average with every batch, though they step with every n-th."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnneededGradientReduction(Rule):
    """Accumulate gradients under `no_sync()`, and reduce them with the last batch.

    `backward()` of a `DistributedDataParallel` module averages the gradients of all processes, each time. Where the
    optimizer steps only after several batches, only the last of these averages is needed: the result is the same, and
    between machines the others may take longer than the computation. The forward pass has to be in `no_sync()`, too.
    The rule is off by default: between the GPUs of one machine there may be little to gain.

    Not reported:

    - programs that use `no_sync`, or set `require_backward_grad_sync`
    - steps with every batch by default, and numbers of batches that a test of something else decides
    - `FullyShardedDataParallel`, whose `no_sync()` keeps whole gradients and takes more memory

    https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """

    severity = Severity.INFO
    confidence = Confidence.HIGH
    default = False
    words = ("backward",)
    project_words = ("DistributedDataParallel",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.unneeded_reductions import unneeded_reductions

        for found in unneeded_reductions(file.evaluator(), file):
            yield self.finding(
                found.backward,
                f"{quoted(found.backward)} averages the gradients of all processes in every iteration; run all but"
                " the last before a step under `no_sync()`",
                trace=(
                    found.step.step("the optimizer steps here, after several iterations"),
                    found.wrapped.step("wrapped here"),
                ),
            )
