"""What mending makes of the programs of the rules is what stands beside them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.mend.fixing import job_of, mended_in, reports_of, unmarked
from torchlint.registry import builtin_rules

_FIXTURES = Path(__file__).parents[2] / "fixtures"
_MENDED = sorted(path for path in _FIXTURES.glob("*/fixed*") if path.parent.name in builtin_rules())


def copied(program: Path, folder: Path) -> Path:
    """Return a copy of a program, or of a project, without its marks."""
    root = folder / "program"
    if program.is_dir():
        shutil.copytree(program, root, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        root.mkdir(parents=True)
        shutil.copy(program, root / "train.py")
    for file in root.rglob("*.py"):
        file.write_text(unmarked(file.read_text("utf-8")), "utf-8")
    return root


def texts_in(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in sorted(root.rglob("*.py"))}


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("fixed", _MENDED, ids=named)
def test_a_bad_program_is_mended_to_the_letter(fixed: Path, tmp_path: Path) -> None:
    rule = fixed.parent.name
    root = copied(fixed.with_name(fixed.name.replace("fixed", "bad", 1)), tmp_path)

    for change in mended_in(root, [rule]):
        change.path.write_bytes(change.after)

    (tmp_path / "wanted").mkdir()
    assert texts_in(root) == texts_in(copied(fixed, tmp_path / "wanted"))


@pytest.mark.parametrize("fixed", _MENDED, ids=named)
def test_a_mended_program_has_nothing_left_to_mend(fixed: Path, tmp_path: Path) -> None:
    rule = fixed.parent.name
    root = copied(fixed, tmp_path)

    reports = reports_of(job_of(root, [rule]))

    assert not [finding for report in reports.values() for finding in report.findings if finding.fix]
    assert mended_in(root, [rule]) == []


@pytest.mark.parametrize("rule", sorted(builtin_rules()))
def test_a_rule_that_mends_shows_how(rule: str, tmp_path: Path) -> None:
    programs = sorted((_FIXTURES / rule).glob("bad*.py"))

    # Each by itself: what one program of a folder does is no business of the others.
    found = [reports_of(job_of(copied(program, tmp_path / program.stem), [rule])) for program in programs]

    fixes = [one.fix for reports in found for report in reports.values() for one in report.findings if one.fix]
    assert bool(fixes) == any(path.parent.name == rule for path in _MENDED)
