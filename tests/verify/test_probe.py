"""The probe of a real GPU, called back as PyTorch calls it: the callbacks are Python, and need no GPU."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip("torch", reason="the probe hooks into torch")

from torch.cuda import _gpu_trace

from torchlint.pytorch.waits import Kind
from torchlint.verify.probe import noted
from torchlint.verify.waitlog import WaitLog


def test_a_wait_for_a_stream_is_noted_at_the_line_that_waits() -> None:
    log = WaitLog()

    with noted(log):
        _gpu_trace.StreamSynchronizationCallbacks.fire_callbacks(0)

    (wait,) = log.waits
    assert (wait.kind, wait.site.path) == (Kind.STREAM, __file__)
    assert wait.site.function == "test_a_wait_for_a_stream_is_noted_at_the_line_that_waits"


def test_synchronize_and_events_are_noted_as_explicit() -> None:
    log = WaitLog()

    with noted(log):
        _gpu_trace.DeviceSynchronizationCallbacks.fire_callbacks()
        _gpu_trace.EventSynchronizationCallbacks.fire_callbacks(0)

    assert [wait.kind for wait in log.waits] == [Kind.EXPLICIT, Kind.EXPLICIT]


def test_a_wait_in_a_thread_without_python_is_the_main_threads() -> None:
    log = WaitLog()

    with noted(log):
        thread = threading.Thread(target=_gpu_trace.StreamSynchronizationCallbacks.fire_callbacks, args=(0,))
        thread.start()
        thread.join()

    (wait,) = log.waits
    assert wait.site.path == __file__


def test_nothing_is_noted_afterwards() -> None:
    log = WaitLog()
    with noted(log):
        pass

    _gpu_trace.StreamSynchronizationCallbacks.fire_callbacks(0)

    assert log.total == 0


def test_what_the_note_itself_waits_for_is_not_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    log = WaitLog()
    own_add = log.add

    def add_and_wait(kind: Kind, operation: str, frame: object, times: int = 1) -> None:
        _gpu_trace.StreamSynchronizationCallbacks.fire_callbacks(0)
        own_add(kind, operation, None, times)

    monkeypatch.setattr(log, "add", add_and_wait)
    with noted(log):
        _gpu_trace.StreamSynchronizationCallbacks.fire_callbacks(0)

    assert log.total == 1
