"""Two streams that access one tensor without waiting for each other, found by PyTorch's own detector."""

from __future__ import annotations

from collections.abc import Iterable

# Importing this switches GPU tracing on for good: only the detection of races imports this module.
import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.cuda import _sanitizer

from torchlint.errors import TorchlintError
from torchlint.verify.sim.streams import current

_NO_KERNELS = ("aten::record_stream",)


class RaceDetector:
    """Feeds the simulated streams to the CUDA sanitizer, which is pure Python and needs no GPU."""

    def __init__(self) -> None:
        if not hasattr(_sanitizer, "FACTORY_FUNCTION_REGEX"):
            raise TorchlintError(f"torch {torch.__version__} cannot tell the races of streams; 2.6 can")
        self._events = _sanitizer.EventHandler()
        self.stream_created = self._events._handle_stream_creation
        self.stream_synchronized = self._events._handle_stream_synchronization
        self.device_synchronized = self._events._handle_device_synchronization
        self.event_created = self._events._handle_event_creation
        self.event_recorded = self._events._handle_event_record
        self.event_waited_for = self._events._handle_event_wait
        self.event_synchronized = self._events._handle_event_synchronization

    def allocated(self, tensors: Iterable[Tensor]) -> None:
        """Forget the former contents at the addresses of new tensors."""
        for tensor in tensors:
            self._events._handle_memory_allocation(tensor.data_ptr())

    def launched(
        self, func: OpOverload, args: tuple[object, ...], kwargs: dict[str, object], result: object, gpu: int | None
    ) -> None:
        """Check the reads and writes of an operation; raises `CUDASanitizerErrors` if streams race."""
        if gpu is None or func._schema.name in _NO_KERNELS:
            return
        makes = bool(_sanitizer.FACTORY_FUNCTION_REGEX.match(func._schema.name))
        touched = _sanitizer.ArgumentHandler()
        touched.parse_inputs(func._schema, args, kwargs, is_factory=makes)
        touched.parse_outputs(func._schema, result, is_factory=makes)
        self._launch(
            gpu,
            touched.dataptrs_read - touched.dataptrs_written,
            touched.dataptrs_written,
            str(func._schema),
            touched.tensor_aliases,
        )

    def copied(self, source: Tensor | None, target: Tensor, what: str) -> None:
        """Check a tensor that was made on a GPU, or copied from one or to one."""
        read = {source.data_ptr()} if source is not None and source.is_cuda else set()
        written = {target.data_ptr()} if target.is_cuda else set()
        if written:
            self.allocated([target])
        on = target if source is None or target.is_cuda else source
        if on.is_cuda:
            self._launch(on.get_device(), read, written, what, {pointer: [] for pointer in read | written})

    def _launch(self, gpu: int, read: set[int], written: set[int], operation: str, names: dict[int, list[str]]) -> None:
        stream = current(gpu).cuda_stream
        errors = self._events._handle_kernel_launch(stream, read, written, written, operation, names)
        if errors:
            raise _sanitizer.CUDASanitizerErrors(errors)
