"""State that a replica stores, and that is lost with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class StateLostInReplica(Rule):
    """Return results from `forward` instead of setting them on the module.

    `DataParallel` runs `forward` on replicas that exist for this one call. What they assign to `self` is lost with
    them: the module still has the previous value, or no such attribute. With one GPU the module itself runs, and the
    mistake does not show.

    Not reported:

    - attributes that only `forward` itself uses
    - constants that each call moves to its device again
    - caches that are rebuilt if they are missing
    - buffers that are changed in place, which the first replica shares with the module

    https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("forward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.replicas import lost_states, wrapping_step

        for lost in lost_states(file.evaluator(), file):
            yield self.finding(
                lost.place,
                f"{quoted(lost.place)} is set on a replica that `DataParallel` discards; return it from `forward`",
                trace=(
                    wrapping_step(lost.wrapped),
                    lost.read.step("read from the module here"),
                ),
            )
