"""Generators of another device than what is drawn with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_WHAT = {
    "cpu": "raises, as it draws on the GPU and {0} is a generator of the CPU; make it with the same `device`",
    "cuda": "raises, as it draws on the CPU and {0} is a generator of the GPU; make it with `torch.Generator()`",
}


class MismatchedGenerator(Rule):
    """Draw with a generator of the same device.

    `torch.Generator()` is one of the CPU, and `torch.Generator(device="cuda")` one of the GPU. Each draws numbers on
    its own kind of device: `torch.randn(…, generator=generator, device="cuda")` raises `Expected a 'cuda' device type
    for generator but found 'cpu'` for the first one. A `DataLoader`, a `RandomSampler` and `random_split` draw on the
    CPU, whatever device the model is on, and raise for the second one. On a machine without a GPU, where a program
    chooses the CPU for both, it runs.

    Not reported:

    - generators and tensors whose device is not known for sure
    - programs that set the default device
    - calls in a `try`

    https://docs.pytorch.org/docs/stable/generated/torch.Generator.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("generator=",)
    project_words = ("Generator",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.mismatched_generators import mismatched_generators

        for found in mismatched_generators(file.evaluator(torchlint.WITH_CUDA), file):
            what = _WHAT[found.kind].format(quoted(found.given))
            trace = (*found.premises, found.made.step("made here"))
            yield self.finding(found.call, f"{quoted(found.call)} {what}", trace=trace)
