"""Constructed findings and reports to write."""

from __future__ import annotations

from pathlib import Path

from torchlint.finding import Confidence, Edit, Finding, Fix, Severity, Span, Step
from torchlint.output import OutputSettings, render
from torchlint.report import FileReport

TRAIN = """\
import torch

def train(model, loader):
    running = 0.0
    for step, (x, y) in enumerate(loader):
        loss = model(x, y)
        loss.backward()
        running += loss.item()
    return running
"""


def span_of(source: str, code: str) -> Span:
    """Return the span of some code of one line in a source."""
    for number, line in enumerate(source.split("\n"), 1):
        if code in line:
            column = line.index(code) + 1
            return Span(number, column, number, column + len(code))
    raise ValueError(code)


def item_finding(path: str = "src/train.py") -> Finding:
    """Return a warning with a trace in its own file and an unsafe fix."""
    place = span_of(TRAIN, "loss.item()")
    return Finding(
        "item-in-training-loop",
        "sync",
        path,
        place,
        "waits on every step: add up `loss.detach()`",
        Severity.WARNING,
        Confidence.HIGH,
        (Step(path, span_of(TRAIN, "for step, (x, y) in enumerate(loader):"), "runs once per batch"),),
        Fix("Add up `loss.detach()`", (Edit(place, "loss.detach()"),), safe=False),
    )


def nan_finding(path: str, source: str) -> Finding:
    """Return an error with a safe fix."""
    place = span_of(source, 'x != float("nan")')
    fix = Fix("Use `~torch.isnan(x)`", (Edit(place, "~torch.isnan(x)"),), safe=True)
    message = "is true of every number: use `torch.isnan`"
    return Finding("nan-comparison", "numerics", path, place, message, Severity.ERROR, Confidence.HIGH, fix=fix)


def plain_finding(
    place: Span,
    severity: Severity = Severity.WARNING,
    *,
    path: str = "a.py",
    message: str = "goes wrong: do it right",
    rule: str = "some-rule",
    trace: tuple[Step, ...] = (),
    fix: Fix | None = None,
) -> Finding:
    """Return a finding with defaults for all but its place."""
    return Finding(rule, "group", path, place, message, severity, Confidence.HIGH, trace, fix)


def report_of(source: str, *findings: Finding, path: str = "src/train.py") -> FileReport:
    """Return the report of a file that holds a source."""
    return FileReport(path, findings, lines=tuple(source.split("\n")))


def settings(
    *,
    color: bool = False,
    width: int | None = None,
    quiet: bool = False,
    statistics: bool = False,
    hyperlinks: bool = False,
    cwd: Path = Path("/nowhere"),
    site: str = "",
) -> OutputSettings:
    """Return settings under which every run takes 0.41 s."""
    return OutputSettings(color, width, quiet, statistics, hyperlinks, cwd, clock=lambda: 0.41, started=0.0, site=site)


def text_of(name: str, *reports: FileReport, out: OutputSettings | None = None) -> str:
    """Return all that a format writes."""
    return "".join(render(name, reports, out or settings()))


def flush(text: str) -> str:
    """Return a text that is written eight columns in and begins on a line of its own."""
    return "\n".join(line[8:] for line in text.removeprefix("\n").split("\n"))
