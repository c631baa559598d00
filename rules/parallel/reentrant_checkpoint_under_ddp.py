"""Checkpoints that DistributedDataParallel cannot reduce the gradients of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ReentrantCheckpointUnderDdp(Rule):
    """Use `use_reentrant=False` for checkpoints under DistributedDataParallel.

    The reentrant variant of `torch.utils.checkpoint.checkpoint`, which is the default, computes the gradients of a part
    in a backward pass of its own. `DistributedDataParallel` with `find_unused_parameters=True` does not see into it:
    it takes the parameters of the part for unused and for ready, and the backward pass raises `Expected to mark a
    variable ready only once` when their gradients come. A part that is checkpointed twice in a `forward`, such as a
    layer that is shared, raises the same without that option, as its gradients come twice. With `use_reentrant=False`
    both train (checked on torch 2.13).

    Not reported:

    - wrappers with `static_graph=True`, or with options that are not known
    - checkpoints that depend on an option, and parts that may be frozen or loaded
    - parts whose input may need no gradient: nothing goes back through them

    https://docs.pytorch.org/docs/stable/checkpoint.html,
    https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("checkpoint",)
    project_words = ("DistributedDataParallel",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.reentrant_parts import reentrant_parts

        for found in reentrant_parts(file.evaluator(), file):
            doubt = "hooks recompute the checkpointed part, and parameters may get gradients that had none before"
            fix = Fix("Pass `use_reentrant=False`", found.edits, safe=False, doubt=doubt) if found.edits else None
            cause = "under `find_unused_parameters`" if found.searched else "as the part runs twice"
            yield self.finding(
                found.call,
                f"{quoted(found.call)} makes DDP raise in backward, {cause}; pass `use_reentrant=False`",
                trace=(found.wrapped.step("the module is wrapped here"),),
                fix=fix,
            )
