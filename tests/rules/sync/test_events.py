"""Which events cannot tell the time between them, against PyTorch on a pretend GPU."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.verify import simulated_cuda

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import time
import torch
from torch.cuda import Event

x = torch.rand(8, 8, device="cuda")
start, end = Event(enable_timing=True), Event(enable_timing=True)
"""
MEASURED = "start.record()\ny = x @ x\nend.record()\n"
TOO_EARLY = {
    "at once": MEASURED + "start.elapsed_time(end)",
    "printed": MEASURED + "print(start.elapsed_time(end))",
    "after a text": MEASURED + "print('done')\nstart.elapsed_time(end)",
    "after more work": MEASURED + "y = y @ y\nstart.elapsed_time(end)",
    "waited for too early": "start.record()\ny = x @ x\ntorch.cuda.synchronize()\nend.record()\nstart.elapsed_time(end)",
    "waited for on a stream": MEASURED + "torch.cuda.current_stream().wait_event(end)\nstart.elapsed_time(end)",
    "in a loop": """
        for _ in range(3):
            start.record()
            y = x @ x
            end.record()
            print(start.elapsed_time(end))
        """,
    "in an object": """
        class Watch:
            def __init__(self):
                self.start = Event(enable_timing=True)
                self.end = Event(enable_timing=True)
            def stop(self):
                self.end.record()
                return self.start.elapsed_time(self.end)
        watch = Watch()
        watch.start.record()
        watch.stop()
        """,
}
LISTS = """
starts = [Event(enable_timing=True) for _ in range(3)]
ends = [Event(enable_timing=True) for _ in range(3)]
for i in range(3):
    starts[i].record()
    y = x @ x
    ends[i].record()
"""
APPENDED = """
starts, ends = [], []
for i in range(3):
    start, end = Event(enable_timing=True), Event(enable_timing=True)
    start.record()
    y = x @ x
    end.record()
    starts.append(start)
    ends.append(end)
"""
TOO_EARLY |= {
    "of lists": LISTS + "times = [a.elapsed_time(b) for a, b in zip(starts, ends)]",
    "by their numbers": LISTS + "for i in range(3):\n    print(starts[i].elapsed_time(ends[i]))",
    "in a loop over lists": LISTS + "for i, (a, b) in enumerate(zip(starts, ends)):\n    print(a.elapsed_time(b))",
    "appended": APPENDED + "times = [a.elapsed_time(b) for a, b in zip(starts, ends)]",
}
UNTIMED = {
    "both": "start, end = Event(), Event()\n" + MEASURED + "end.synchronize()\nstart.elapsed_time(end)",
    "the first": "start = Event(blocking=True)\n" + MEASURED + "end.synchronize()\nstart.elapsed_time(end)",
    "the last": "end = Event(enable_timing=False)\n" + MEASURED + "end.synchronize()\nstart.elapsed_time(end)",
}
READY = {
    "of lists": LISTS + "torch.cuda.synchronize()\ntimes = [a.elapsed_time(b) for a, b in zip(starts, ends)]",
    "appended": APPENDED + "end.synchronize()\ntimes = [a.elapsed_time(b) for a, b in zip(starts, ends)]",
    "each of a list": LISTS
    + """
for a, b in zip(starts, ends):
    b.synchronize()
    print(a.elapsed_time(b))
""",
    "another of a list": LISTS
    + """
ends[0].synchronize()
print(starts[0].elapsed_time(ends[0]))
""",
    "event": MEASURED + "end.synchronize()\nstart.elapsed_time(end)",
    "device": MEASURED + "torch.cuda.synchronize()\nstart.elapsed_time(end)",
    "stream": MEASURED + "torch.cuda.current_stream().synchronize()\nstart.elapsed_time(end)",
    "number": MEASURED + "y.sum().item()\nstart.elapsed_time(end)",
    "copy": MEASURED + "y = y.cpu()\nstart.elapsed_time(end)",
    "shown": MEASURED + "print(y)\nstart.elapsed_time(end)",
    "tested": MEASURED + "if y.sum() > 0:\n    y = x\nstart.elapsed_time(end)",
    "asked": MEASURED + "while not end.query():\n    pass\nstart.elapsed_time(end)",
    "in one statement": MEASURED + "print(y.sum().item(), start.elapsed_time(end))",
    "helper": "def wait():\n    torch.cuda.synchronize()\n" + MEASURED + "wait()\nstart.elapsed_time(end)",
    "positional": "end = Event(True)\n" + MEASURED + "end.synchronize()\nstart.elapsed_time(end)",
    "settings": "end = Event(**{'enable_timing': True})\n" + MEASURED + "end.synchronize()\nstart.elapsed_time(end)",
    "recorded elsewhere": """
        def step():
            start.record()
            y = x @ x
            end.record()
            end.synchronize()
        step()
        start.elapsed_time(end)
        """,
    "of the round before": """
        for step in range(3):
            if step:
                print(start.elapsed_time(end))
            start.record()
            y = x @ x
            end.record()
            torch.cuda.synchronize()
        """,
}


def found(program: Program, body: str) -> list[str]:
    """Return the messages about events in a program."""
    return [finding.message for finding in program(HEAD + dedent(body)).findings("unready-event")]


@pytest.mark.parametrize("name", TOO_EARLY)
def test_an_event_is_not_asked_before_it_is_waited_for(program: Program, name: str) -> None:
    assert ["has not reached" in message for message in found(program, TOO_EARLY[name])] == [True]


@pytest.mark.parametrize("name", UNTIMED)
def test_an_event_that_records_no_time_is_not_asked_for_it(program: Program, name: str) -> None:
    assert ["records no time" in message for message in found(program, UNTIMED[name])] == [True]


@pytest.mark.parametrize("name", READY)
def test_an_event_may_be_asked_once_anything_has_waited(program: Program, name: str) -> None:
    assert found(program, READY[name]) == []


@pytest.mark.parametrize("body", [*TOO_EARLY.values(), *UNTIMED.values()], ids=[*TOO_EARLY, *UNTIMED])
def test_pytorch_refuses_it(body: str) -> None:
    pytest.importorskip("torch", reason="PyTorch itself is asked")

    with simulated_cuda(gpus=1), pytest.raises((RuntimeError, ValueError), match="Both events must be"):
        exec(HEAD + dedent(body), {"__name__": "program"})


@pytest.mark.parametrize("name", READY)
def test_pytorch_takes_it(name: str) -> None:
    pytest.importorskip("torch", reason="PyTorch itself is asked")

    with simulated_cuda(gpus=1):
        exec(HEAD + dedent(READY[name]), {"__name__": "program"})
