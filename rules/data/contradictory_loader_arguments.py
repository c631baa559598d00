"""Arguments of a loader that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile

_MESSAGES = {
    "sampler": "`{}` and `sampler` are mutually exclusive, and the `DataLoader` raises; remove one of them",
    "batch_sampler": "`{}` and `batch_sampler` are mutually exclusive, and the `DataLoader` raises; remove one of them",
    "batch_size": "`{}` raises with `batch_size=None`, which disables batching; remove it",
    "num_workers": "`{}` raises with `num_workers=0`; set `num_workers` or remove it",
    "dataset": "`{}` raises with an `IterableDataset`, which defines the order itself; remove it",
}
_DOUBTS = {"sampler": "only the sampler determines the order", "dataset": "only the dataset determines the order"}


class ContradictoryLoaderArguments(Rule):
    """Do not pass arguments that exclude each other to a loader.

    A `DataLoader` raises when it is created with `shuffle=True` and a `sampler`; with a `batch_sampler` and one of
    `batch_size`, `shuffle`, `sampler` and `drop_last`; with `batch_size=None` and `drop_last`; with an
    `IterableDataset` and `shuffle=True` or a sampler; and with `prefetch_factor`, `persistent_workers` or
    `multiprocessing_context` but no workers. A `timeout` without workers raises at the first batch. The error often
    appears only in another kind of run: the distributed one, which has a sampler, or the one without workers.

    Not reported:

    - options without a default
    - arguments that a test may keep apart
    - `**kwargs`

    https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("DataLoader",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for found in file.contradictory_loaders():
            yield self.finding(
                found,
                _MESSAGES[found.reason].format(found.name),
                trace=() if found.other is None else (found.other.step(f"`{found.reason}` is given here"),),
                fix=_left_out(found.call, found.name, found.reason) if found.is_always else None,
            )


def _left_out(call: Call, name: str, reason: str) -> Fix | None:
    """Remove what the other argument makes redundant; whether workers are wanted is unknown."""
    value = call.keywords.get(name)
    if value is None or not value.is_constant or reason == "num_workers":
        return None
    doubt = _DOUBTS.get(reason, "")
    edits = call.edits.drop_argument(name)
    return Fix(f"Remove `{name}`", edits, safe=not doubt, doubt=doubt) if edits else None
