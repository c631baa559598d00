"""The waits of a real GPU: PyTorch calls back at each, while the line that waits is still on the stack."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from torchlint.errors import TorchlintError
from torchlint.pytorch.waits import Kind
from torchlint.verify.sites import NOWHERE
from torchlint.verify.waitlog import WaitLog

# Private, and the only thing that sees torch.cuda.synchronize() and Event.synchronize() as well as every copy.
_TRACE = "torch.cuda._gpu_trace"
_REGISTRARS = {
    "register_callback_for_stream_synchronization": Kind.STREAM,
    "register_callback_for_device_synchronization": Kind.EXPLICIT,
    "register_callback_for_event_synchronization": Kind.EXPLICIT,
}


@contextmanager
def watched_gpu(log: WaitLog, *, races: bool = False) -> Iterator[None]:
    """Log what makes the host wait for the GPUs of this machine; with `races`, raise if streams race."""
    torch.cuda.init()
    if races:
        from torch.cuda import _sanitizer

        _sanitizer.enable_cuda_sanitizer()
    # Tracing cannot be switched off again: a process that watches runs one program.
    getattr(torch._C, "_activate_gpu_trace", _missing)()
    with noted(log):
        yield
        torch.cuda.synchronize()


@contextmanager
def noted(log: WaitLog) -> Iterator[None]:
    """Register for PyTorch's callbacks."""
    notes = _Notes(log)
    try:
        trace = importlib.import_module(_TRACE)
    except ImportError:
        _missing()
    for registrar, kind in _REGISTRARS.items():
        getattr(trace, registrar)(notes.of(kind))
    try:
        yield
    finally:
        notes.wanted = False


def _missing() -> None:
    raise TorchlintError(f"torch {torch.__version__} has no {_TRACE}: its waits cannot be seen")


class _Notes:
    """Logs the waits; after it is closed it does nothing."""

    def __init__(self, log: WaitLog) -> None:
        self.wanted = True
        self._log = log
        self._writing = threading.local()

    def of(self, kind: Kind) -> Callable[..., None]:
        """Return the callback for each wait of a kind."""

        def called(*_: object) -> None:
            # Waits of the log itself are not the program's.
            if not self.wanted or getattr(self._writing, "now", False):
                return
            self._writing.now = True
            try:
                self._write(kind)
            finally:
                self._writing.now = False

        return called

    def _write(self, kind: Kind) -> None:
        frame = sys._getframe(2)
        if self._log.sites.of(frame) == NOWHERE:
            # Autograd's thread has no Python on its stack; the main thread waits, in backward().
            frame = sys._current_frames()[threading.main_thread().ident or 0]
        self._log.add(kind, kind.value, frame)
