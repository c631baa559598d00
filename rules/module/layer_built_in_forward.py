"""Layers that are built with every `forward`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LayerBuiltInForward(Rule):
    """Create the layers of a module in its `__init__`.

    A layer that `forward` creates is a new one in every call. It has its initial, mostly random weights: no optimizer
    trains them, no checkpoint contains them, and they are on the CPU whatever the device of the module is. Dropout and
    batch normalization also start in training mode, and `model.eval()` does not reach them: dropout stays active, and
    batch norm uses the statistics of the one batch. No error says so.

    Not reported:

    - layers without weights and mode, such as activations, poolings and losses
    - layers that are created once behind a test and kept in an attribute
    - layers that are given weights or anything else before they are called
    - dropout that is created behind a test of the mode

    https://docs.pytorch.org/docs/stable/notes/modules.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("forward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.fresh_layers import fresh_layers

        for layer in fresh_layers(file.evaluator(), file):
            if layer.has_mode:
                what = "is created in every `forward`, so `model.eval()` has no effect on it"
            else:
                what = "is created in every `forward`, so its weights are never trained"
            yield self.finding(layer.place, f"{quoted(layer.place)} {what}; create it in `__init__`", trace=layer.story)
