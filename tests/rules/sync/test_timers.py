"""Timers that a project writes itself."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from rules.sync.detectors.timing import unsynchronized_timings
from tests.checkout import asked
from torchlint.model import Project

HEAD = """
import contextlib, functools, time, torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4, 4, device=device)
"""
STOPWATCH = """
class Watch:
    def tic(self):
        self.start = time.time()

    def toc(self):
        {wait}
        return time.time() - self.start

watch = Watch()
"""
SECTION = """
class Section:
    def __enter__(self):
        self.start = time.time()

    def __exit__(self, *error):
        {wait}
        self.end = time.time()
        print(self.end - self.start)
"""
BEGUN = """
class Section:
    def __init__(self):
        self.start = time.time()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        {wait}
        print(time.time() - self.start)
"""
GENERATOR = """
@contextlib.contextmanager
def section():
    start = time.time()
    try:
        yield
    finally:
        {wait}
        print(time.time() - start)
"""
DECORATOR = """
def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.time()
        result = function(*args, **kwargs)
        {wait}
        print(time.time() - start)
        return result
    return wrapper
"""
FACTORY = """
def timed(name):
    def decorate(function):
        def wrapper(*args):
            start = time.time()
            function(*args)
            {wait}
            print(name, time.time() - start)
        return wrapper
    return decorate
"""
TIMERS = {
    "methods": (STOPWATCH, "watch.tic()\nx @ x\nwatch.toc()", "watch.toc()"),
    "methods in a loop": (STOPWATCH, "for _ in range(3):\n    watch.tic()\n    x @ x\n    watch.toc()", "watch.toc()"),
    "enter and exit": (SECTION, "with Section():\n    x @ x", "Section()"),
    "begun when made": (BEGUN, "with Section() as section:\n    x @ x", "Section()"),
    "an object": (SECTION, "section = Section()\nwith section:\n    x @ x", "section"),
    "generator": (GENERATOR, "with section():\n    x @ x", "section()"),
    "decorator": (DECORATOR, "@timed\ndef product(a):\n    return a @ a\n\nproduct(x)", "time.time()"),
    "factory": (FACTORY, "@timed('product')\ndef product(a):\n    return a @ a\n\nproduct(x)", "time.time()"),
}
each_timer = pytest.mark.parametrize(("timer", "use", "stop"), TIMERS.values(), ids=TIMERS)


def stops(folder: Path, timer: str, use: str, wait: str = "pass") -> list[str]:
    indent = next((line.partition("{")[0] for line in timer.splitlines() if "{wait}" in line), "")
    waits = textwrap.indent(wait, indent).strip()
    (folder / "main.py").write_text(f"{HEAD}\n{timer.format(wait=waits)}\n{use}\n")
    return [one.stop.text for one in asked(unsynchronized_timings, Project(folder).open(folder / "main.py", "main.py"))]


@each_timer
def test_a_timer_that_does_not_wait_is_found_where_it_times_work(
    timer: str, use: str, stop: str, tmp_path: Path
) -> None:
    assert stops(tmp_path, timer, use) == [stop]


@each_timer
def test_a_timer_that_waits_is_right(timer: str, use: str, stop: str, tmp_path: Path) -> None:
    wait = "if torch.cuda.is_available():\n    torch.cuda.synchronize()"

    assert stops(tmp_path, timer, use, wait) == []


@each_timer
def test_what_is_waited_for_before_the_timer_ends_is_timed(timer: str, use: str, stop: str, tmp_path: Path) -> None:
    assert stops(tmp_path, timer, use.replace("x @ x", "print((x @ x).sum().item())").replace("a @ a", "a.cpu()")) == []


@each_timer
def test_a_timer_that_may_wait_is_not_known_to_be_wrong(timer: str, use: str, stop: str, tmp_path: Path) -> None:
    assert stops(tmp_path, "from elsewhere import settle\n" + timer, use, "settle(x)") == []


@pytest.mark.parametrize(
    "use",
    [
        "x @ x\nwatch.tic()\nwatch.toc()",
        "watch.tic()\nwatch.toc()\nx @ x",
        "other = Watch()\nother.tic()\nx @ x\nwatch.toc()",
        "watch.tic()\ntime.sleep(1)\nwatch.toc()",
        "watch.tic()\nx @ x\nwatch.tic()\nwatch.toc()",
    ],
    ids=["before", "after", "another timer", "no work", "started again"],
)
def test_work_that_a_timer_does_not_time_is_none_of_its_own(use: str, tmp_path: Path) -> None:
    assert stops(tmp_path, STOPWATCH, use) == []


def test_a_timer_may_be_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "watches.py").write_text("import time\n" + STOPWATCH.format(wait="pass"))

    assert stops(tmp_path, "from watches import watch", "watch.tic()\nx @ x\nwatch.toc()") == ["watch.toc()"]
