"""Parameters that a replica is asked for, and has not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ParametersOfReplica(Rule):
    """Do not ask a module for its parameters in a `forward` that `DataParallel` runs.

    `DataParallel` runs `forward` on replicas, whose weights are plain tensors: since PyTorch 1.5, `parameters()` of a
    replica and of the modules in it yields nothing. `next(self.parameters()).device` then raises `StopIteration: Caught
    StopIteration in replica 0`, and a penalty that sums over `self.parameters()` is zero without an error. With one GPU
    or none the module itself runs, and all is well. Take the device and the dtype from an input, from a weight by its
    name, or from a buffer, and compute penalties outside of `forward`.

    Not reported:

    - methods that `forward` does not call
    - calls of `next` with a default, and those in a `try` that catches `StopIteration`
    - `DistributedDataParallel`, and `DataParallel` on a single GPU

    https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("parameters(",)
    project_words = ("DataParallel",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.replica_parameters import replica_parameters
        from .detectors.replicas import wrapping_step

        for found in replica_parameters(file.evaluator(), file):
            if found.raises:
                message = "raises on the replicas of `DataParallel`, which have no parameters; use an input or a buffer"
            else:
                message = "is empty on the replicas of `DataParallel`; compute this outside of `forward`"
            steps = [wrapping_step(found.wrapped)]
            steps += [found.called.step("`forward` hands the module on here")] if found.called is not None else []
            yield self.finding(found.place, f"{quoted(found.place)} {message}", trace=steps)
