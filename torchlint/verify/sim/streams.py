"""Streams and events: work is done at once, in order; only which stream waits for which is tracked."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from torchlint.pytorch.waits import Kind
from torchlint.verify.sim.machine import Device
from torchlint.verify.sim.state import running

_numbers = itertools.count(1)
DEFAULT = 0


class Stream:
    """Stands in for `torch.cuda.Stream`."""

    device_type = 1

    def __init__(self, device: Device = None, priority: int = 0, *, stream_id: int | None = None, **_: object) -> None:
        simulation = running()
        self.cuda_stream = next(_numbers) * 16 if stream_id is None else stream_id
        self.device = torch.device("cuda", simulation.machine.index(device))
        self.priority = priority
        if simulation.detector is not None and self.cuda_stream != DEFAULT:
            simulation.detector.stream_created(self.cuda_stream)

    @property
    def stream_id(self) -> int:
        """Return the id of this stream."""
        return self.cuda_stream

    @property
    def device_index(self) -> int:
        """Return the GPU that the stream belongs to."""
        return self.device.index or 0

    def synchronize(self) -> None:
        """Make the host wait for the stream."""
        running().wait(Kind.EXPLICIT, "Stream.synchronize")
        if (detector := running().detector) is not None:
            detector.stream_synchronized(self.cuda_stream)

    def record_event(self, event: Event | None = None) -> Event:
        """Mark what has been queued so far."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Make what is queued next wait for an event."""
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Make what is queued next wait for another stream."""
        self.wait_event(stream.record_event())

    def query(self) -> bool:
        """Tell whether everything is done; here it always is."""
        return True

    def is_capturing(self) -> bool:
        """Tell whether a graph is being recorded; here none ever is."""
        return False

    def __enter__(self) -> Stream:
        self._context = on_stream(self)
        self._context.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._context.__exit__(None, None, None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self.cuda_stream, self.device) == (other.cuda_stream, other.device)

    def __hash__(self) -> int:
        return hash((self.cuda_stream, self.device))

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class Event:
    """Stands in for `torch.cuda.Event`; its times are the host's.

    Work is done at once, but the host knows of it only after a wait, for whatever that was.
    """

    def __init__(self, enable_timing: bool = False, *_: object, **__: object) -> None:
        self.enable_timing = enable_timing
        self.cuda_event = next(_numbers)
        self._time = 0.0
        self._waits = 0
        self._is_asked = False
        if (detector := running().detector) is not None:
            detector.event_created(self.cuda_event)

    def record(self, stream: Stream | None = None) -> None:
        """Mark what has been queued on a stream so far."""
        self._time = time.perf_counter()
        self._waits, self._is_asked = running().log.total, False
        if (detector := running().detector) is not None:
            detector.event_recorded(self.cuda_event, (stream or current()).cuda_stream)

    def wait(self, stream: Stream | None = None) -> None:
        """Make what is queued next on a stream wait for the mark."""
        if (detector := running().detector) is not None:
            detector.event_waited_for(self.cuda_event, (stream or current()).cuda_stream)

    def query(self) -> bool:
        """Tell whether the mark is reached; here it always is, once it is queried."""
        self._is_asked = True
        return True

    def synchronize(self) -> None:
        """Make the host wait for the mark."""
        running().wait(Kind.EXPLICIT, "Event.synchronize")
        if (detector := running().detector) is not None:
            detector.event_synchronized(self.cuda_event)

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds between two marks, by the host's clock."""
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if not end_event._is_asked and end_event._waits == running().log.total:
            raise RuntimeError("Both events must be completed before calculating elapsed time.")
        return (end_event._time - self._time) * 1000


def current(device: Device = None) -> Stream:
    """Return the current stream of a GPU."""
    simulation = running()
    index = simulation.machine.index(device)
    if index not in simulation.streams:
        simulation.streams[index] = default(index)
    return simulation.streams[index]


def default(device: Device = None) -> Stream:
    """Return the default stream."""
    return Stream(device, stream_id=DEFAULT)


def use(stream: Stream | None) -> None:
    """Make a stream, and its GPU, the current one."""
    if stream is not None:
        running().streams[stream.device_index] = stream
        running().machine.current = stream.device_index


@contextmanager
def on_stream(stream: Stream | None) -> Iterator[None]:
    """Make a stream the current one within the context."""
    if stream is None:
        yield
        return
    machine = running().machine
    device, before = machine.current, current(stream.device)
    use(stream)
    try:
        yield
    finally:
        use(before)
        machine.current = device
