"""Modules that are trained in eval mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class EvalModeLeftOn(Rule):
    """Switch a module back to training mode before training continues.

    `model.eval()` stays in effect until `model.train()` is called. If a loop evaluates between iterations of training
    and never calls it, all but the first iterations train without dropout, and with batch norm that neither uses nor
    updates batch statistics: the module overfits, or keeps its statistics. No error says so. Call `model.train()` at
    the start of each iteration, or at the end of the evaluation.

    It is a warning where no layer with a mode is seen, or what the optimizer received is not.

    Not reported:

    - loops in which `train()` may be called again, also in a function of the project or in unknown code that gets the
      module
    - modules that no optimizer of the loop trains, such as teachers and feature extractors
    - modules that each iteration creates anew, and modules without a layer that depends on the mode
    - code that trains in eval mode on purpose, without an evaluation before

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".eval(",)
    project_words = ("backward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.left_in_eval import left_in_eval

        for found in left_in_eval(file.evaluator(), file):
            steps = [found.loop.step("this loop continues training"), found.trains.step("trains here")]
            if found.way != found.switch:
                steps.insert(1, found.way.step("evaluates here"))
            module = found.switch.owner.code if found.switch.owner is not None else ""
            train = quoted(f"{module}.train()")
            yield self.finding(
                found.switch,
                f"{quoted(found.switch)} stays in effect when training continues; call {train} in every iteration",
                trace=steps,
                fix=_put_back(found.switch, found.start),
                confidence=None if found.is_in_view else Confidence.MEDIUM,
            )


def _put_back(switch: Call, start: Place | None) -> Fix | None:
    if start is None or switch.owner is None:
        return None
    line = start.edits.line_before(f"{switch.owner.text}.train()")
    if line is None:
        return None
    return Fix(
        "Switch back to training mode",
        (line,),
        safe=False,
        doubt="it also switches submodules that stay in eval mode on purpose",
    )
