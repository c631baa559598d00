"""Data that is shuffled on the CPU in a program whose default device is the GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ShuffleUnderDefaultDevice(Rule):
    """Give a shuffling loader a generator on the default device.

    `torch.set_default_device("cuda")` and `torch.set_default_tensor_type("torch.cuda.…")` send every new tensor to the
    GPU, also the permutation by which a `DataLoader` shuffles; its generator stays on the CPU. The first batch raises
    `Expected a 'cuda' device type for generator but found 'cpu'`, and only where there is a GPU. `RandomSampler` and
    `random_split` do the same. Pass `generator=torch.Generator(device=…)`, or better: pass `device=` to what belongs on
    the GPU, and leave the default alone.

    Left alone are loaders that do not shuffle or have a generator, programs that may take the choice back in the same
    run, and files that are not part of the program that makes it.

    https://docs.pytorch.org/docs/stable/generated/torch.set_default_device.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("DataLoader", "RandomSampler", "random_split")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for shuffle in file.shuffles_on_host():
            yield self.finding(
                shuffle.call,
                "shuffles on the CPU, while new tensors go to the GPU, and raises there: pass `generator=`",
                trace=(shuffle.chosen.step("every new tensor is sent to the GPU from here on"),),
            )
