"""Waiting for the GPU in order to read a clock, and waiting for nothing."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import time
import torch
from contextlib import contextmanager
from fvcore.common.timer import Timer
from torch import nn
class Watch:
    def reset(self):
        self.start = time.perf_counter()
class Meter:
    def __init__(self):
        self.watch, self.timer, self.seen = Watch(), Timer(), 0
    def tic(self):
        self.watch.reset()
    def toc(self):
        self.timer.pause()
    def log(self, step):
        if step % 10 == 0:
            print(step, time.time() - self.watch.start)
    def update(self, n):
        self.seen += n
class Stopwatch:
    def __init__(self, words):
        self.words = words
    def __enter__(self):
        self.start = time.time()
    def __exit__(self, *error):
        print(self.words, time.time() - self.start)
class Mode:
    def __enter__(self):
        model.train()
    def __exit__(self, *error):
        model.eval()
@contextmanager
def timed(words):
    start = time.time()
    yield
    print(words, time.time() - start)
def train(x):
    start = time.time()
    model(x).sum().backward()
    print(time.time() - start)
meter, timer = Meter(), Timer()
model = nn.Linear(2, 2).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader([])
end = time.time()
"""
TIMING = {
    "a clock right behind": """
        for x in loader:
            model(x).sum().backward()
            torch.cuda.synchronize()
            batch_time.update(time.time() - end)
            end = time.time()
        """,
    "a clock right before": """
        for x in loader:
            end = time.time()
            torch.cuda.synchronize()
            model(x).sum().backward()
        """,
    "a clock some lines below": """
        for x in loader:
            loss = model(x).sum()
            loss.backward()
            optimizer.step()
            torch.cuda.synchronize()
            losses.update(loss.detach(), x.size(0))
            norms.update(norm)
            batch_time.update(time.time() - end)
            end = time.time()
        """,
    "a clock behind the scheduler": """
        for x in loader:
            model(x).sum().backward()
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            lr_scheduler.step()
            batch_time.update(time.time() - end)
        """,
    "a clock after some rounds": """
        for i, x in enumerate(loader):
            start = time.time()
            model(x).sum().backward()
            losses.update(x.size(0))
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            if i >= 2:
                total += time.time() - start
        """,
    "a method of the project that asks a clock": """
        for x in loader:
            model(x).sum().backward()
            torch.cuda.synchronize()
            losses.update(x.size(0))
            meter.tic()
        """,
    "a method that asks a timer of another package": """
        for x in loader:
            model(x).sum().backward()
            torch.cuda.synchronize()
            meter.toc()
        """,
    "a timer of another package, right before": """
        for x in loader:
            timer.reset()
            torch.cuda.synchronize()
            model(x).sum().backward()
        """,
    "a timer around": """
        for x in loader:
            with Stopwatch("a step"):
                model(x).sum().backward()
                torch.cuda.synchronize()
        """,
    "a timer around that was made before": """
        watch = Stopwatch("a step")
        for x in loader:
            with torch.enable_grad(), watch:
                model(x).sum().backward()
                torch.cuda.synchronize()
        """,
    "a function with a clock around": """
        for x in loader:
            with timed("a step"):
                model(x).sum().backward()
                if torch.cuda.is_available():
                    torch.cuda.synchronize()
        """,
}
WAITING = {
    "no clock": """
        for x in loader:
            model(x).sum().backward()
            torch.cuda.synchronize()
            losses.update(x.size(0))
        """,
    "a clock behind the next step": """
        for x in loader:
            torch.cuda.synchronize()
            model(x).sum().backward()
            optimizer.step()
            batch_time.update(time.time() - end)
        """,
    "a clock now and then": """
        for i, x in enumerate(loader):
            model(x).sum().backward()
            torch.cuda.synchronize()
            losses.update(x.size(0))
            if i % 100 == 0:
                batch_time.update(time.time() - end)
        """,
    "a timer around that goes on training": """
        for x in loader:
            with Stopwatch("a step"):
                torch.cuda.synchronize()
                model(x).sum().backward()
                optimizer.step()
        """,
    "a block around that reads no clock": """
        for x in loader:
            with Mode():
                model(x).sum().backward()
                torch.cuda.synchronize()
        """,
    "a timer around all rounds": """
        with Stopwatch("all"):
            for x in loader:
                model(x).sum().backward()
                torch.cuda.synchronize()
        """,
    "a clock some lines above": """
        for x in loader:
            end = time.time()
            model(x).sum().backward()
            torch.cuda.synchronize()
        """,
    "a method that asks no clock": """
        for x in loader:
            model(x).sum().backward()
            torch.cuda.synchronize()
            meter.update(x.size(0))
        """,
    "a method that asks a clock now and then": """
        for i, x in enumerate(loader):
            model(x).sum().backward()
            torch.cuda.synchronize()
            meter.log(i)
        """,
    "a function that trains and times that": """
        for x in loader:
            train(x)
            torch.cuda.synchronize()
        """,
}


@pytest.mark.parametrize("code", TIMING.values(), ids=TIMING)
def test_whoever_waits_to_read_a_clock_has_to(program: Program, code: str) -> None:
    checkout = program(HEAD + dedent(code))

    assert checkout.reported("synchronize-in-training-loop") == []


@pytest.mark.parametrize("code", WAITING.values(), ids=WAITING)
def test_whoever_reads_no_clock_waits_for_nothing(program: Program, code: str) -> None:
    checkout = program(HEAD + dedent(code))

    assert checkout.reported("synchronize-in-training-loop") == ["torch.cuda.synchronize()"]


_HELPER = """\
from time import perf_counter as timer
import torch
from torch import nn
class Profiler:
    def __init__(self):
        self.last, self.logs = timer(), []
    def tick(self, name):
        self.logs.append((name, timer() - self.last))
        self.last = timer()
    def count(self, name):
        self.logs.append(name)
def sync(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)
def ready(device):
    sync(device)
def train(loader, net, optimizer, device):
    profiler = Profiler()
    for rows in loader:
        loss = net(rows.to(device)).mean()
        {behind}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {last}
train([torch.ones(4)], nn.Linear(4, 1), torch.optim.SGD([], 0.1), torch.device("cuda"))
"""
WAITED_IN_HELPERS = {
    "before a profiler": ("sync(device); profiler.tick('forward')", "pass"),
    "in a helper of the helper": ("ready(device); profiler.tick('forward')", "pass"),
    "in every call": ("sync(device); profiler.tick('forward')", "sync(device); profiler.tick('backward')"),
    "before a clock by another name": ("sync(device); start = timer()", "pass"),
}
NOT_BEFORE_CLOCKS = {
    "before what counts": ("sync(device); profiler.count('forward')", "pass"),
    "in one of two calls": ("sync(device); profiler.tick('forward')", "sync(device)"),
    "with a step between": ("sync(device)", "profiler.tick('backward')"),
}


@pytest.mark.parametrize(("behind", "last"), WAITED_IN_HELPERS.values(), ids=WAITED_IN_HELPERS)
def test_who_waits_in_a_helper_does_so_beside_what_callers_read(program: Program, behind: str, last: str) -> None:
    assert program(_HELPER.format(behind=behind, last=last)).reported("synchronize-in-training-loop") == []


@pytest.mark.parametrize(("behind", "last"), NOT_BEFORE_CLOCKS.values(), ids=NOT_BEFORE_CLOCKS)
def test_who_waits_in_a_helper_away_from_clocks_waits_for_nothing(program: Program, behind: str, last: str) -> None:
    waiting = "torch.cuda.synchronize(device)"

    assert program(_HELPER.format(behind=behind, last=last)).reported("synchronize-in-training-loop") == [waiting]
