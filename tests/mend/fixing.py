"""Mend programs in a folder of their own, as the command does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from torchlint import Rule
from torchlint.config import default_config, find_config, load_config
from torchlint.engine import Job, lint
from torchlint.files.discovery import Target
from torchlint.finding import Edit, Finding
from torchlint.fixing import FixedFile, fix_all
from torchlint.fixing.draft import Draft
from torchlint.registry import builtin_rules
from torchlint.report import FileReport

_MARK = re.compile(r"[ \t]+# error(?::[\w ,-]+)?$", re.MULTILINE)


def job_of(root: Path, rules: Iterable[Rule | str]) -> Job:
    """Return the job of linting every file below a folder by some rules, with the options that it sets for them."""
    file = find_config(root)
    config = load_config(file) if file is not None and file.parent == root else default_config(root)
    options = config.rule_options
    chosen = tuple(builtin_rules()[rule](options.get(rule)) if isinstance(rule, str) else rule for rule in rules)
    targets = (Target(path, path.relative_to(root).as_posix(), True) for path in sorted(root.rglob("*.py")))
    return Job(root, tuple(targets), chosen, target_torch=config.target_torch)


def reports_of(job: Job) -> dict[str, FileReport]:
    """Return the reports of a job, by path."""
    reports: list[FileReport] = []
    lint([job], 1, reports.append)
    assert not [error for report in reports for error in report.errors]
    return {report.path: report for report in reports}


def mended_in(root: Path, rules: Sequence[Rule | str], *, unsafe: bool = True) -> list[FixedFile]:
    """Return what becomes of the files below a folder."""
    job = job_of(root, rules)
    contents = {target.path: target.path.read_bytes() for target in job.targets}
    return fix_all(job, contents, reports_of(job), lambda fix: fix.safe or unsafe)


def mended_bytes(root: Path, data: bytes, rules: Sequence[Rule | str], *, unsafe: bool = True) -> bytes:
    """Return what becomes of a file by itself."""
    (root / "train.py").write_bytes(data)
    changes = mended_in(root, rules, unsafe=unsafe)
    return changes[0].after if changes else data


def mended_text(root: Path, text: str, *rules: Rule | str, unsafe: bool = True) -> str:
    """Return what becomes of a text by itself."""
    return mended_bytes(root, text.encode(), rules, unsafe=unsafe).decode()


def findings_in(root: Path, data: bytes, rules: Sequence[Rule | str]) -> tuple[Finding, ...]:
    """Return what is found in a file by itself."""
    (root / "train.py").write_bytes(data)
    return reports_of(replace(job_of(root, rules)))["train.py"].findings


def unmarked(text: str) -> str:
    """Return a fixture's program without the marks of its mistakes."""
    return _MARK.sub("", text)


def assert_rest_kept(change: FixedFile) -> None:
    """Assert that nothing is gone from a file but the lines that its fixes name."""
    edits = [edit for finding in change.fixed if finding.fix for edit in finding.fix.edits]
    before, after = (data.splitlines(keepends=True) for data in (change.before, change.after))
    if was_one_round(change, edits):
        named = {line for edit in edits for line in range(edit.span.line, edit.span.end_line + 1)}
        rest = iter(after)
        assert all(line in rest for number, line in enumerate(before, 1) if number not in named)
    # The edits of later iterations have been moved by the earlier ones.
    most = sum(edit.span.end_line - edit.span.line + 1 for edit in edits)
    assert (Counter(before) - Counter(after)).total() <= most


def was_one_round(change: FixedFile, edits: Iterable[Edit]) -> bool:
    """Tell whether all that was made was made of the file as it was."""
    try:
        return Draft(change.shown, change.before).edited(edits) == change.after
    except (ValueError, IndexError):
        return False
