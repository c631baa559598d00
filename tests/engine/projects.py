"""Small projects to lint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from torchlint.engine import Job, lint
from torchlint.finding import Confidence, Finding, Severity
from torchlint.model import SourceFile
from torchlint.registry import builtin_rules
from torchlint.report import FileReport
from torchlint.rule import Rule

CUDA = "import torch\nmodel = torch.nn.Linear(1, 1).cuda()\n"


@dataclass(frozen=True)
class Target:
    """A file as discovery names it."""

    path: Path
    shown: str


class Fails(Rule):
    """Raise on every call of `fail`."""

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("fail",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for place in file.calls("builtins.print"):
            yield self.finding(place, "prints: leave it out")
        for place in file.calls("torch.fail"):
            raise ValueError(f"cannot say\nwhat {place.text} does")


class AsksForEver(Fails):
    """Report every `print`, and ask the model for ever where something is called `fail`."""

    name = "asks-for-ever"

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for place in file.calls("builtins.print"):
            yield self.finding(place, "prints: leave it out")
        while "fail()" in file.source.text:
            for place in file.calls("torch.nn.Linear"):
                place.possibilities()


def every_rule() -> tuple[Rule, ...]:
    return tuple(rule() for rule in builtin_rules().values())


def written(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), "utf-8")


def job_of(root: Path, rules: tuple[Rule, ...] | None = None) -> Job:
    targets = (Target(path, path.relative_to(root).as_posix()) for path in sorted(root.rglob("*.py")))
    return Job(root, tuple(targets), every_rule() if rules is None else rules)


def linted(*jobs: Job, workers: int = 1) -> list[FileReport]:
    reports: list[FileReport] = []
    lint(jobs, workers, reports.append)
    return sorted(reports, key=lambda report: report.path)


def said(reports: list[FileReport]) -> list[str]:
    """Return where each finding is, and its rule."""
    return [f"{one.path}:{one.span.line} {one.rule}" for report in reports for one in report.findings]
