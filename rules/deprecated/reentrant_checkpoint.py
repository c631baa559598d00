"""Checkpoints that leave open how to recompute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ReentrantCheckpoint(Rule):
    """Pass `use_reentrant` to a checkpoint.

    `torch.utils.checkpoint.checkpoint` and `checkpoint_sequential` have two implementations. Without `use_reentrant`
    they use the older, reentrant one, and every call warns that a later release will raise (torch 2.13 still warns).
    The reentrant variant gives no gradients to the parameters of a module if none of its inputs requires grad, such as
    the first blocks of a network, and does not support `torch.autograd.grad` and keyword arguments.
    `use_reentrant=False`, which PyTorch recommends, has none of these limits. The rule is off by default: nothing
    breaks yet.

    Not reported:

    - calls with `**kwargs` or other arguments that the linter cannot see
    - calls behind a test of the version or of the argument
    - anything if `target-torch` is older than 1.11, or than 2.1 for a sequence

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
                doubt="hooks recompute the checkpointed part, and parameters may get gradients that had none before",
            )
            yield self.finding(
                call,
                f"{quoted(call)} uses the reentrant variant by default and warns; pass `use_reentrant=False`",
                fix=fix if edit is not None else None,
            )
