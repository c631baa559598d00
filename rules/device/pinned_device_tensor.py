"""A tensor on a GPU that is to be pinned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class PinnedDeviceTensor(Rule):
    """Pin only what is in the memory of the host.

    Pinned memory is what a GPU copies from, so that what lies on the GPU already cannot be pinned: a `DataLoader` with
    `pin_memory=True` over tensors that were moved, and `x.cuda().pin_memory()`, raise
    `cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned`, and only where there is a GPU. So does a
    loader whose `collate_fn` moves the batches. Whole data sets that fit into the memory of the GPU need neither
    pinning nor workers.

    Left alone are data sets and collate functions of which nobody knows where their tensors are, and loaders that pin
    only what is on the host: `pin_memory=device.type == "cpu"`.

    https://docs.pytorch.org/docs/stable/data.html#memory-pinning
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("pin_memory",)
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.pinning import refused_pinnings

        for refused in refused_pinnings(file.evaluator(torchlint.WITH_CUDA), file):
            trace = (refused.origin.step("this is on a GPU already"),) if refused.origin is not None else ()
            yield self.finding(
                refused.place, "raises where the tensors are on a GPU: pin them before they are moved", trace=trace
            )
