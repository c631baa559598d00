"""Dropout between the layers of a recurrent network that has only one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class RnnDropoutWithoutEffect(Rule):
    """Apply dropout to the output of a one-layer recurrent network.

    `nn.LSTM`, `nn.GRU` and `nn.RNN` apply their `dropout` between layers, and never to the output of the last one. With
    one layer, nothing is dropped: the network trains without regularization, and a warning when it is created is the
    only sign.

    Not reported:

    - numbers of layers and probabilities that a caller may choose: a parameter that is one by default
    - `dropout if num_layers > 1 else 0.0`

    https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("LSTM", "GRU", "RNN")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.recurrent_dropout import recurrent_dropouts

        for rate in recurrent_dropouts(file.evaluator(), file):
            yield self.finding(
                rate, "`dropout` has no effect in a recurrent network with one layer; apply `nn.Dropout` to its output"
            )
