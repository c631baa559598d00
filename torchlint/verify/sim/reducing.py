"""DistributedDataParallel on a simulated GPU: the buckets of its gradients are on the device of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import torch.distributed
from torch import Tensor

from torchlint.verify.replacing import replace
from torchlint.verify.sim.state import running
from torchlint.verify.sim.tags import gpu_of


@contextmanager
def working_on(gpu: int | None) -> Iterator[None]:
    """Have what C++ allocates be on a GPU."""
    simulation = running()
    before, simulation.working_on = simulation.working_on, gpu
    try:
        yield
    finally:
        simulation.working_on = before


def install(stack: ExitStack) -> None:
    """Replace what makes the buckets, if this PyTorch supports `torch.distributed` at all."""
    if not torch.distributed.is_available():
        return
    from torch._C._distributed_c10d import Reducer

    # Its parameters change with the version; the first ones are those of the module.
    own_init: Callable[..., None] = Reducer.__init__

    class PlacedReducer(Reducer):
        """Makes its buckets on the GPU of the parameters."""

        def __init__(self, parameters: Sequence[Tensor], *args: object, **kwargs: object) -> None:
            self._gpu = gpu_of(parameters[0])
            with working_on(self._gpu):
                own_init(self, parameters, *args, **kwargs)

        def _rebuild_buckets(self) -> bool:
            with working_on(self._gpu):
                return super()._rebuild_buckets()

    replace(stack, torch.distributed, "Reducer", PlacedReducer)
