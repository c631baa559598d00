"""DistributedDataParallel on a pretend GPU: the buckets of its gradients are where its parameters are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import torch.distributed
from torch import Tensor

from torchlint.verify.replacing import replace
from torchlint.verify.sim.state import running
from torchlint.verify.sim.tags import gpu_of


@contextmanager
def working_on(gpu: int | None) -> Iterator[None]:
    """Have what C++ makes out of nothing be on a GPU."""
    simulation = running()
    before, simulation.working_on = simulation.working_on, gpu
    try:
        yield
    finally:
        simulation.working_on = before


def install(stack: ExitStack) -> None:
    """Replace what makes the buckets, where this PyTorch can distribute at all."""
    if not torch.distributed.is_available():
        return

    class Reducer(torch.distributed.Reducer):
        """Makes its buckets on the GPU of the parameters."""

        def __init__(self, parameters: Sequence[Tensor], *args: object, **kwargs: object) -> None:
            self._gpu = gpu_of(parameters[0])
            with working_on(self._gpu):
                super().__init__(parameters, *args, **kwargs)

        def _rebuild_buckets(self) -> bool:
            with working_on(self._gpu):
                rebuilt: bool = super()._rebuild_buckets()
            return rebuilt

    replace(stack, torch.distributed, "Reducer", Reducer)
