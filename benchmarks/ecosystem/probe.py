"""Lint a folder with the torchlint of a checkout, and print what it says as JSON.

It is run by its path, `python probe.py CHECKOUT FOLDER DEPTH`, and asks only for what older commits have as well.
`DEPTH` is how far below the folder its projects lie, 0 where the folder is one itself.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.engine.linter import Linter
    from torchlint.finding import Finding, Span
    from torchlint.report import FileReport
    from torchlint.rule import Rule

SUFFIXES = (".py", ".pyi", ".ipynb")


@dataclass(frozen=True, slots=True)
class _Target:
    """A file to lint."""

    path: Path
    shown: str


@dataclass(slots=True)
class _Said:
    """What was said so far: entries of a name, a place and a text, and the steps of each rule if they are counted."""

    entries: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    steps: Counter[str] | None = None
    files: int = 0

    def add(self, report: FileReport) -> None:
        """Add what a report says."""
        self.files += 1
        # Rules could not be stopped before there were steps.
        stopped = getattr(report, "incomplete", ())
        self.entries += (_entry(finding) for finding in report.findings)
        self.entries += ((f"error {error.kind}", report.path, error.message) for error in report.errors)
        self.entries += ((f"incomplete {rule}", report.path, "") for rule in stopped)


def main() -> None:
    """Lint with every rule, without a cache, a configuration or comments that silence one."""
    checkout, folder, depth = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int(sys.argv[3])
    _import_from(checkout)
    from torchlint.engine.depth import deeply
    from torchlint.registry import builtin_rules

    rules, said = [rule() for rule in builtin_rules().values()], _Said()
    started = time.process_time()
    deeply(lambda: _reports(folder, depth, rules, said), said.add)
    seconds = time.process_time() - started
    steps = None if said.steps is None else dict(sorted(said.steps.items()))
    json.dump({"entries": said.entries, "steps": steps, "files": said.files, "seconds": seconds}, sys.stdout)


def _import_from(checkout: Path) -> None:
    """Have torchlint imported from a checkout, whichever is installed."""
    # First is the folder of this script, whose modules are none of torchlint's.
    sys.path[0] = str(checkout)
    import torchlint

    if not Path(torchlint.__file__).resolve().is_relative_to(checkout):
        sys.exit(f"torchlint was imported from {torchlint.__file__}, and not from {checkout}")


def _reports(folder: Path, depth: int, rules: list[Rule], said: _Said) -> Iterator[FileReport]:
    from torchlint.engine.job import Job
    from torchlint.engine.linter import Linter

    for project in _projects(folder, depth):
        files = sorted(path for path in project.rglob("*") if path.suffix in SUFFIXES and path.is_file())
        targets = tuple(_Target(path, path.relative_to(folder).as_posix()) for path in files)
        linter = Linter(Job(project, targets, rules, respects_comments=False))
        for target in targets:
            yield _counted(linter, target, said)


def _projects(folder: Path, depth: int) -> list[Path]:
    """Return the folders so deep below one."""
    found = folder.glob("/".join("*" * depth)) if depth else [folder]
    return sorted(path for path in found if path.is_dir())


def _counted(linter: Linter, target: _Target, said: _Said) -> FileReport:
    """Lint a file, and add the steps of its rules; older commits do not tell them."""
    if not hasattr(linter, "steps"):
        return linter.lint(target)
    # A file in which no rule has anything to look for leaves the steps of the file before.
    linter.steps = {}
    report = linter.lint(target)
    said.steps = (said.steps or Counter()) + Counter(linter.steps)
    return report


def _entry(finding: Finding) -> tuple[str, str, str]:
    return f"finding {finding.rule}", f"{finding.path}:{_start(finding.span)}", "\n".join(_lines(finding))


def _lines(finding: Finding) -> Iterator[str]:
    """Yield all that a finding says, but for its rule and its place."""
    yield f"{finding.severity.value} {finding.confidence.value}: {finding.message}"
    for step in finding.trace:
        yield f"trace {step.path}:{_stretch(step.span)} {step.words}"
    if (fix := finding.fix) is not None:
        doubt = f" ({fix.doubt})" if fix.doubt else ""
        yield f"fix {'safe' if fix.safe else 'unsafe'}: {fix.title}{doubt}"
        for edit in fix.edits:
            yield f"edit {_stretch(edit.span)} {edit.text!r}"


def _start(span: Span) -> str:
    return f"{span.line}:{span.column}"


def _stretch(span: Span) -> str:
    return f"{_start(span)}-{span.end_line}:{span.end_column}"


if __name__ == "__main__":
    main()
