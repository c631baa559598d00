"""A few steps of a run as a picture, and which reads wait for nothing."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from torchlint.finding import Span
from torchlint.pytorch.waits import Kind
from torchlint.verify import page
from torchlint.verify.merge import Line, Status
from torchlint.verify.outcome import Observation
from torchlint.verify.script import Script, ScriptRun
from torchlint.verify.sites import Site
from torchlint.verify.timeline import Mark, timeline
from torchlint.verify.waitlog import FIRST_STEPS, Moment, Wait, Waited, WaitLog

SITE = Site("/train.py", 3, 3, 4, 15, "main", "")
READ = Wait(SITE, Kind.SCALAR, "aten._local_scalar_dense.default")
MARK = Mark("confirmed", "train.py:3", "a < b", "item-in-training-loop", "p1")


def bars(moments: list[Moment], kind: str) -> list[tuple[float, float]]:
    """Return where the bars of a kind begin and end."""
    text = "".join(timeline(moments, {READ: MARK}))
    found = re.findall(rf'<rect class="{kind}[^"]*" x="([\d.]+)" y="\d+" width="([\d.]+)"', text)
    return [(float(x), float(x) + float(width)) for x, width in found]


def test_the_host_waits_until_the_gpu_has_run_what_was_queued() -> None:
    moments = [Moment(1, 10, READ), Moment(1, 4)]

    (first, second), (wait,) = bars(moments, "queueing"), bars(moments, "waiting")
    worked, _ = bars(moments, "working")

    assert wait == pytest.approx((first[1], worked[1]), abs=0.2)
    assert second[0] == pytest.approx(wait[1], abs=0.2)
    assert worked[0] > first[0]


def test_a_second_read_waits_for_nothing() -> None:
    first, second = bars([Moment(1, 10, READ), Moment(1, 0, READ)], "waiting")

    assert second[1] - second[0] < (first[1] - first[0]) / 10


def test_every_wait_leads_to_its_line_and_the_first_step_is_left_out() -> None:
    steps = [Moment(step, 5, READ) for step in range(3)]

    text = "".join(timeline(steps, {READ: MARK}))

    svg = ET.fromstring(text[text.index("<svg") : text.index("</svg>") + len("</svg>")])
    assert [one.get("href") for one in svg.iter("a")] == ["#p1", "#p1"]
    assert {one.text for one in svg.iter("title")} == {"train.py:3: a < b (item-in-training-loop)"}
    assert "<small>steps 2 to 3</small>" in text
    assert text.count("<li>") == 1
    assert not re.search(r" style=| on\w+=|<script", text)


def test_steps_without_a_wait_make_no_picture() -> None:
    assert [*timeline([Moment(1, 5)], {})] == [*timeline([], {})] == []


def test_the_log_keeps_the_first_steps_in_order() -> None:
    step = 0
    log = WaitLog(step=lambda: step)
    for step in range(FIRST_STEPS + 3):  # noqa: B007 -- the log reads it
        log.queue()
        log.queue()
        log.add(Kind.SCALAR, "item", sys._getframe())
        log.queue()

    moments = log.moments()

    assert [(one.step, one.work, one.wait is not None) for one in moments] == [
        found for number in range(FIRST_STEPS) for found in ((number, 2, True), (number, 1, False))
    ]
    assert [one.times for one in log.waited()] == [FIRST_STEPS + 3]


def test_a_read_is_idle_if_nothing_was_queued_since_the_last_one() -> None:
    log = WaitLog()
    log.add(Kind.SCALAR, "before", sys._getframe())
    log.queue()
    log.add(Kind.SCALAR, "first", sys._getframe())
    log.add(Kind.SCALAR, "second", sys._getframe())
    log.queue()
    log.add(Kind.SCALAR, "third", sys._getframe())

    assert {one.wait.operation: one.idle for one in log.waited()} == {"before": 0, "first": 0, "second": 1, "third": 0}


def test_what_formatting_queues_is_no_work_of_the_program() -> None:
    log = WaitLog()
    log.queue()
    log.add(Kind.SCALAR, "read", sys._getframe())
    with log.formatting():
        log.queue()
        log.add(Kind.SCALAR, "printed", sys._getframe())
    log.queue()
    with log.formatting():
        log.queue()
        log.add(Kind.SCALAR, "printed first", sys._getframe())

    assert {one.wait.operation: one.idle for one in log.waited()} == {"read": 0, "printed": 1, "printed first": 0}


def test_of_a_real_gpu_nothing_is_known_to_be_idle() -> None:
    log = WaitLog()
    for _ in range(3):
        log.add(Kind.SCALAR, "item", sys._getframe())

    assert [one.idle for one in log.waited()] == [0]


def test_the_page_of_a_run_has_the_picture(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import torch\n\nx = loss.item()\n")
    site = Site(str(script), 3, 3, 4, 15, "main", "")
    wait = Wait(site, Kind.SCALAR, "item")
    waited = Waited(wait, 3, frozenset(range(3)))
    moments = tuple(Moment(step, 4, wait) for step in range(3))
    run = Observation(steps=3, seconds=1.0, waits=(waited,), moments=moments)
    line = Line(Status.CONFIRMED, str(script), Span(3, 5, 3, 16), 3, 3, 1.0, ("scalar read",), "main", "", "item")

    text = page.html(ScriptRun(Script(script), "2.13.0", "1 simulated GPU", True, run, [line]), "2026-11-21")

    assert text.count('<rect class="waiting confirmed"') == 2
    assert 'id="p1"' in text
