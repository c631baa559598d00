"""TorchMetrics: metrics are modules, whose states are tensors on the host until they are moved. Run on 1.9.0."""

from __future__ import annotations

import re

from torchlint.pytorch.kinds import Companion

UPDATE = "update"
"""The method of a metric that adds a batch to its states, as a call of the metric does."""
IN_PLACE = frozenset({UPDATE, "compute", "reset"})
"""Methods of a metric that leave its states on their device."""
COUNTING = re.compile(
    r"torchmetrics\.(\w+\.)*(Binary|Multiclass|Multilabel)?(Accuracy|CohenKappa|ConfusionMatrix|ExactMatch|F1Score"
    r"|FBetaScore|HammingDistance|JaccardIndex|MatthewsCorrCoef|Precision|Recall|Specificity|StatScores)"
)
"""Metrics that count in place, in states that are no lists: for a batch on another device they raise."""

COMPANION = Companion(
    "torchmetrics",
    "torchmetrics 1.9.0",
    module_spaces=("torchmetrics.",),
)
