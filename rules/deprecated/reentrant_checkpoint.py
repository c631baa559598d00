"""Checkpoints that leave open how they are done again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ReentrantCheckpoint(Rule):
    """Tell a checkpoint whether it is to be reentrant.

    `torch.utils.checkpoint.checkpoint` and `checkpoint_sequential` have two ways to compute again what they did not
    keep. Without `use_reentrant` they take the older one, and warn with every call, as torch 2.13 still does, that a
    later release will raise. The older way gives no gradients to the parameters of a module none of whose inputs wants
    any, as the first blocks of a network, and refuses `torch.autograd.grad` and keyword arguments. With
    `use_reentrant=False`, which PyTorch recommends, none of this holds.

    Left alone are calls that pass on what nobody sees, those behind a test of the version or of the argument, and all
    where `target-torch` is older than 1.11, or than 2.1 for a sequence. Off by default: nothing breaks yet.

    https://docs.pytorch.org/docs/stable/checkpoint.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    default = False
    words = ("checkpoint(", "checkpoint_sequential", "utils.checkpoint")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.reentrant_checkpoints import reentrant_checkpoints

        for call in reentrant_checkpoints(file.evaluator(), file):
            edit = call.edits.last_argument("use_reentrant=False")
            fix = Fix(
                "Pass `use_reentrant=False`",
                (edit,) if edit is not None else (),
                safe=False,
                doubt="what is checkpointed is then computed again by hooks, and parts may train that did not before",
            )
            yield self.finding(
                call,
                "warns, and takes the older way until a later release raises: pass `use_reentrant=False`",
                fix=fix if edit is not None else None,
            )
