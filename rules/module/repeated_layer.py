"""One layer in place of several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class RepeatedLayer(Rule):
    """Build each layer of a stack by a call of its own.

    `[nn.Linear(8, 8)] * 3` builds one layer and puts it into the list three times. In `nn.Sequential` or
    `nn.ModuleList` all of them have the same weights: the model has a third of its parameters, each gets the gradients
    of three places, and nothing raises. `[nn.Linear(8, 8) for _ in range(3)]` builds three.

    Not reported:

    - layers without parameters, such as `nn.ReLU`
    - layers that have a name in the list, which may be shared on purpose

    https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("Module", "Sequential")
    project_words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_layers import repeated_layers

        for found in repeated_layers(file.evaluator(), file):
            several = f"[{found.layer.text} for _ in range({found.number.text})]"
            doubt = "the layers have weights of their own then, which a checkpoint may not have"
            yield self.finding(
                found.place,
                f"{quoted(found.place)} holds one layer several times, so all share its weights; build each by itself",
                fix=Fix("Build each layer", (found.place.edits.replace(several),), safe=False, doubt=doubt)
                if found.is_alone
                else None,
            )
