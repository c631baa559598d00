"""Every operation that PyTorch runs passes here, those of backward() too."""

from __future__ import annotations

import time
from collections.abc import Sequence

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

from torchlint.verify.sim.collectives import check_collective
from torchlint.verify.sim.mixing import working_gpu
from torchlint.verify.sim.ops import named
from torchlint.verify.sim.state import Simulation
from torchlint.verify.sim.tags import CPU, gpu_of, put, storage_of, tensors_in
from torchlint.verify.sim.waiting import note_waits

_READ = named("_local_scalar_dense.default")
# Its second result, the sizes of the batches, is on the CPU.
_PACK = named("_pack_padded_sequence.default")


class Operations(TorchDispatchMode):
    """Rejects what a GPU would reject, logs what would wait, and sets the devices of the results."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__()
        self._simulation = simulation

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Otherwise every operation passes a wrapper that keeps the compiler out; nothing is compiled here.
        return False

    def __torch_dispatch__(
        self,
        func: OpOverload,
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        started = time.perf_counter()
        kwargs = dict(kwargs or {})
        tensors = tensors_in(args, kwargs)
        gpus = [gpu_of(tensor) for tensor in tensors]
        gpu = self._enter(func, args, kwargs, tensors, gpus)
        before = time.perf_counter()
        result: object = func(*args, **kwargs)
        after = time.perf_counter()
        new = _put_results(func, result, gpu, tensors, gpus)
        if self._simulation.detector is not None:
            self._simulation.detector.allocated(new)
            self._simulation.detector.launched(func, args, kwargs, result, gpu)
        self._simulation.seconds += before - started + time.perf_counter() - after
        return result

    def _enter(
        self,
        func: OpOverload,
        args: Sequence[object],
        kwargs: dict[str, object],
        tensors: Sequence[Tensor],
        gpus: Sequence[int | None],
    ) -> int | None:
        """Return the GPU of the results, after checking that a GPU supports this at all."""
        check_collective(func, gpus)
        gpu = working_gpu(func, tensors, gpus)
        if gpu is not None:
            if not func.is_view:
                self._simulation.machine.work()
                # A read is a copy, and no work that another read would wait for.
                if func not in _READ:
                    self._simulation.log.queue()
            note_waits(self._simulation, func, args, kwargs, gpus)
        asked = kwargs.get("device")
        if isinstance(asked, torch.device) and asked.type == "cuda":
            _ask_the_cpu(kwargs)
            return self._simulation.machine.index(asked)
        # What a composite operation allocates is on the device that it works on.
        return gpu if tensors else self._simulation.working_on


def _ask_the_cpu(kwargs: dict[str, object]) -> None:
    kwargs["device"] = CPU
    if "pin_memory" in kwargs:
        kwargs["pin_memory"] = None


def _put_results(
    func: OpOverload, result: object, gpu: int | None, tensors: Sequence[Tensor], gpus: Sequence[int | None]
) -> list[Tensor]:
    """Set the device of the results, and return those that are new there."""
    if gpu is None:
        return []
    results = tensors_in(result)
    if func in _PACK:
        results = results[:1]
    unplaced = [tensor for tensor in results if gpu_of(tensor) is None]
    if not unplaced:
        return []
    # A view of a CPU tensor, or the tensor itself, stays on the CPU.
    stay = {id(storage_of(tensor)) for tensor, place in zip(tensors, gpus, strict=True) if place is None}
    return [put(tensor, gpu) for tensor in unplaced if id(storage_of(tensor)) not in stay]
