"""Modules that are trained in the mode in which they were evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class EvalModeLeftOn(Rule):
    """Put a module back into train mode before training goes on.

    `model.eval()` holds until somebody calls `model.train()`. Where a loop evaluates between rounds of training, and
    calls it nowhere, all but the first rounds train without dropout, and with batch norms that neither normalize by the
    batch nor learn from it: the module overfits, or stays at the statistics that it has. No error says so. Call
    `model.train()` at the start of each round, or at the end of what evaluates.

    Left alone are loops in which anything may call `train()` again, be it in a function of the project or one that is
    given the module and nobody sees; modules that no optimizer of the loop trains, as teachers and extractors of
    features; modules that each round makes anew, and those that have no layer which knows of modes; and what trains in
    eval mode on purpose, without evaluating first.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".eval(",)
    project_words = ("backward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.left_in_eval import left_in_eval

        for found in left_in_eval(file.evaluator(), file):
            steps = [found.loop.step("this loop goes on to train"), found.trains.step("trains here")]
            if found.way != found.switch:
                steps.insert(1, found.way.step("evaluates here"))
            yield self.finding(
                found.switch,
                "holds in the rounds that train next, too: call `train()` at the start of each",
                trace=steps,
                fix=_put_back(found.switch, found.start),
                confidence=None if found.is_in_view else Confidence.MEDIUM,
                severity=None if found.is_in_view else Severity.WARNING,
            )


def _put_back(switch: Call, start: Place | None) -> Fix | None:
    if start is None or switch.owner is None:
        return None
    line = start.edits.line_before(f"{switch.owner.text}.train()")
    if line is None:
        return None
    return Fix("Put it back", (line,), safe=False, doubt="parts that are in eval mode on purpose are put back, too")
