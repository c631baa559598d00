"""Data that is shuffled on the CPU in a program whose default device is the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ShuffleUnderDefaultDevice(Rule):
    """Pass a shuffling loader a generator on the default device.

    After `torch.set_default_device("cuda")` or `torch.set_default_tensor_type("torch.cuda.…")` every new tensor is
    created on the GPU, also the permutation with which a `DataLoader` shuffles; its generator stays on the CPU. The
    first batch raises `Expected a 'cuda' device type for generator but found 'cpu'`, but only on a machine with a GPU.
    `RandomSampler` and `random_split` do the same. Pass `generator=torch.Generator(device=…)`, or better: pass
    `device=` where tensors belong on the GPU, and do not change the default.

    Not reported:

    - loaders that do not shuffle or have a generator
    - programs that may reset the default in the same run
    - files that do not belong to the program that sets it

    https://docs.pytorch.org/docs/stable/generated/torch.set_default_device.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("DataLoader", "RandomSampler", "random_split")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for shuffle in file.shuffles_on_host():
            yield self.finding(
                shuffle.call,
                f"{quoted(shuffle.call)} raises: its generator is on the CPU, the default device is the GPU; "
                "pass `generator=`",
                trace=(shuffle.chosen.step("the GPU becomes the default device here"),),
            )
