"""Arguments of a loader that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile

_MESSAGES = {
    "sampler": "raises beside a `sampler`, which decides the order: leave one of them out",
    "batch_sampler": "raises beside a `batch_sampler`, which makes the batches: leave one of them out",
    "batch_size": "raises where `batch_size` is None, which makes no batches: leave it out",
    "num_workers": "raises where `num_workers` is 0: ask for workers, or leave it out",
    "dataset": "raises with an IterableDataset, which decides the order: leave it to the dataset",
}
_DOUBTS = {"sampler": "the sampler alone decides the order", "dataset": "the dataset alone decides the order"}


class ContradictoryLoaderArguments(Rule):
    """Pass a loader no arguments that exclude each other.

    A `DataLoader` raises as it is made where it is given `shuffle=True` and a `sampler`; a `batch_sampler` and one of
    `batch_size`, `shuffle`, `sampler` and `drop_last`; `batch_size=None` and `drop_last`; an IterableDataset and
    `shuffle=True` or a sampler; and where it is given `prefetch_factor`, `persistent_workers` or
    `multiprocessing_context` without workers. A `timeout` without workers raises with the first batch. Often it is a
    run of another kind that shows it: the distributed one, which has a sampler, or the one without workers.

    Left alone is what nobody knows: options without a default, arguments that a test may keep apart, `**kwargs`.

    https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("DataLoader",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for found in file.contradictory_loaders():
            yield self.finding(
                found,
                _MESSAGES[found.reason],
                trace=() if found.other is None else (found.other.step(f"`{found.reason}` is given here"),),
                fix=_left_out(found.call, found.name, found.reason) if found.is_always else None,
            )


def _left_out(call: Call, name: str, reason: str) -> Fix | None:
    """Leave out what the other argument stands for; whether there are to be workers, nobody knows."""
    value = call.keywords.get(name)
    if value is None or not value.is_constant or reason == "num_workers":
        return None
    doubt = _DOUBTS.get(reason, "")
    edits = call.edits.drop_argument(name)
    return Fix(f"Leave `{name}` out", edits, safe=not doubt, doubt=doubt) if edits else None
