"""Dropout between the layers of a recurrent network that has only one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class RnnDropoutWithoutEffect(Rule):
    """Apply dropout yourself to the output of a recurrent network of one layer.

    `nn.LSTM`, `nn.GRU` and `nn.RNN` apply their `dropout` between one layer and the next, and never to the output of
    the last. Where there is one layer, nothing is dropped: the network trains without the regularization that its
    numbers promise, and one warning when it is built is all that says so.

    Left alone are numbers of layers and probabilities that somebody may choose: a parameter that is one by default, and
    `dropout if num_layers > 1 else 0.0`.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("LSTM", "GRU", "RNN")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.recurrent_dropout import recurrent_dropouts

        for rate in recurrent_dropouts(file.evaluator(), file):
            yield self.finding(
                rate, "drops nothing between layers where there is one: apply `nn.Dropout` to the output"
            )
