"""Layers that are built anew with every `forward`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LayerBuiltInForward(Rule):
    """Build the layers of a module in its `__init__`.

    A layer that `forward` builds is a new one with every call. Its weights are those it starts with, mostly random: no
    optimizer has been given them, no checkpoint holds them, and they are on the CPU whatever device the module is on.
    Dropout and batch normalization have a mode besides: they start in training mode, and `model.eval()` never finds
    them, so that dropout goes on and the statistics are those of the one batch. No error says so.

    Left alone are layers without weights and mode, such as activations, poolings and losses, layers that are built once
    and kept in an attribute behind a test, those that are given weights or anything else before they are called, and
    dropout that is built where a test of the mode lets it.

    https://docs.pytorch.org/docs/stable/notes/modules.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("forward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.fresh_layers import fresh_layers

        for layer in fresh_layers(file.evaluator(), file):
            if layer.has_mode:
                what = "is a new one with every `forward`, and knows nothing of `eval()`"
            else:
                what = "has new weights with every `forward`, which nothing trains"
            yield self.finding(layer.place, f"{what}: build it in `__init__`", trace=layer.story)
