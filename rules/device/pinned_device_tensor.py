"""A tensor on a GPU that is to be pinned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class PinnedDeviceTensor(Rule):
    """Pin only tensors in CPU memory.

    A GPU copies from pinned CPU memory, so tensors on the GPU cannot be pinned. A `DataLoader` with `pin_memory=True`
    over tensors that were moved, and `x.cuda().pin_memory()`, raise `cannot pin 'torch.cuda.FloatTensor' only dense CPU
    tensors can be pinned`, but only on a machine with a GPU. So does a loader whose `collate_fn` moves the batches. A
    dataset that fits into GPU memory needs neither pinning nor workers.

    Not reported:

    - datasets and collate functions whose tensors are on an unknown device
    - loaders that pin only CPU tensors: `pin_memory=device.type == "cpu"`

    https://docs.pytorch.org/docs/stable/data.html#memory-pinning
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("pin_memory",)
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.pinning import refused_pinnings

        for refused in refused_pinnings(file.evaluator(torchlint.WITH_CUDA), file):
            trace = (refused.origin.step("already on the GPU here"),) if refused.origin is not None else ()
            yield self.finding(
                refused.place,
                "`pin_memory` raises for tensors on the GPU; pin them before they are moved",
                trace=(*refused.premises, *trace),
            )
