"""What linting files reports."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.projects import CUDA, Fails, Target, every_rule, job_of, linted, said, written
from torchlint.engine import Job, lint_text, project_root
from torchlint.inference.engine.stack import Asked
from torchlint.report import FileReport
from torchlint.rule import Rule

TRAINING = """\
import torch
model = torch.nn.Linear(1, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
for x in batches:
    loss = model(x.cuda())
    loss.backward()
    optimizer.step()
    loss.item()
"""
READING = "def read(value):\n    return value.item()\n"
BROKEN = f"{CUDA}x = (1,\n"


def alone(root: Path, text: str | bytes, rules: tuple[Rule, ...] | None = None) -> FileReport:
    """Return the report of a project of one file."""
    (root / "a.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    (report,) = linted(job_of(root, rules))
    return report


def test_every_file_has_a_report_and_those_with_findings_their_lines(tmp_path: Path) -> None:
    written(tmp_path, {"a.py": CUDA, "b.py": "x = 1\n", "c.py": ""})

    reports = linted(job_of(tmp_path))

    assert said(reports) == ["a.py:2 hardcoded-cuda"]
    assert [report.path for report in reports] == ["a.py", "b.py", "c.py"]
    assert [report.lines for report in reports] == [tuple(CUDA.split("\n")), (), ()]


def test_a_file_that_python_cannot_parse_is_told_in_python_words_at_its_place(tmp_path: Path) -> None:
    report = alone(tmp_path, BROKEN)

    (finding,) = report.findings
    assert (finding.rule, finding.group, finding.message) == ("unreadable-source", "source", "'(' was never closed")
    assert (finding.span.line, finding.span.column) == (3, 5)
    assert report.lines == tuple(BROKEN.split("\n"))
    assert report.errors == ()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"import torch\nx = '\xe9'.cuda()\n",
            "not valid UTF-8: byte 0xe9 at line 2, column 6: save it as UTF-8",
        ),
        (CUDA.encode("utf-16"), "not valid UTF-8 but UTF-16: save it as UTF-8"),
        (b"\xef\xbb\xbfx = torch.cuda()\n\0", "source code cannot contain null bytes"),
    ],
)
def test_a_file_that_cannot_be_decoded_is_told(tmp_path: Path, data: bytes, message: str) -> None:
    report = alone(tmp_path, data)

    assert [finding.message for finding in report.findings] == [message]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no such permissions")
def test_a_file_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    job = replace(job_of(tmp_path), targets=(Target(tmp_path / "gone.py", "gone.py"),))

    (report,) = linted(job)

    assert [finding.message for finding in report.findings] == ["cannot be read: no such file or directory"]


def test_a_file_without_a_word_of_a_rule_is_not_parsed(tmp_path: Path) -> None:
    report = alone(tmp_path, "import torch\nx = (1,\n", rules=(Fails(),))

    assert report == FileReport("a.py")


def test_a_project_that_never_speaks_of_torch_is_not_parsed(tmp_path: Path) -> None:
    report = alone(tmp_path, "if fail(1 +:\n")

    assert report == FileReport("a.py")


def test_a_file_that_leaves_torch_to_its_neighbours_is_linted(tmp_path: Path) -> None:
    written(tmp_path, {"a.py": "import torch\n", "b.py": "x = (fail,\n"})

    assert said(linted(job_of(tmp_path, (Fails(),)))) == ["b.py:1 unreadable-source"]


def test_a_rule_that_raises_is_named_with_the_line_and_costs_nothing_else(tmp_path: Path) -> None:
    text = f"{CUDA}print(1)\n\ntorch.fail(2)\n"
    written(tmp_path, {"a.py": text, "b.py": CUDA})

    reports = linted(job_of(tmp_path, (Fails(), *every_rule())))

    assert said(reports) == ["a.py:2 hardcoded-cuda", "a.py:3 fails", "b.py:2 hardcoded-cuda"]
    (error,) = reports[0].errors
    assert (error.path, error.kind) == ("a.py", "rule-failed")
    assert error.message.startswith("rule `fails` failed on a.py:5 (ValueError: cannot say what torch.fail(2) does at ")


def test_a_rule_that_raises_in_the_middle_of_a_question_changes_no_later_answer(tmp_path: Path) -> None:
    class Interrupts(Fails):
        def check(self, file):  # type: ignore[no-untyped-def]
            for evaluator in file.project._evaluators.values():
                evaluator._stack.open += [Asked(lambda *_: None, number, None) for number in range(1000)]
            raise ValueError

    # To tell what is moved, and where, takes queries.
    written(tmp_path, {"a.py": f"{CUDA}fail()\n", "b.py": CUDA.replace("cuda()", 'to("cu" + "da")')})

    reports = linted(job_of(tmp_path, (*every_rule(), Interrupts())))

    assert said(reports) == ["a.py:2 hardcoded-cuda", "b.py:2 hardcoded-cuda"]


def test_comments_suppress_and_are_judged(tmp_path: Path) -> None:
    ignoring = CUDA.replace(")\n", ")  # torchlint: ignore[hardcoded-cuda, kept-graph]\n")

    report = alone(tmp_path, ignoring)

    assert [finding.message for finding in report.findings] == ["`kept-graph` ignores nothing here: remove it"]
    assert report.suppressed == 1


@pytest.mark.parametrize("comment", ["# torchlint: file-ignore[hardcoded-cuda]", "# TorchLint: file_ignore[no_rule]"])
def test_a_comment_in_a_file_that_no_rule_looks_at_is_judged(tmp_path: Path, comment: str) -> None:
    report = alone(tmp_path, f"{comment}\n", rules=every_rule())

    assert [finding.rule for finding in report.findings] == ["unused-ignore"]


def test_a_group_of_which_a_rule_did_not_run_is_not_judged(tmp_path: Path) -> None:
    some = tuple(rule for rule in every_rule() if rule.name != "kept-graph")

    assert alone(tmp_path, "x = 1  # torchlint: ignore[sync]\n", some).findings == ()
    assert len(alone(tmp_path, "x = 1  # torchlint: ignore[sync]\n", every_rule()).findings) == 1


@pytest.mark.parametrize(
    ("pattern", "names", "remaining"),
    [
        ("tests/", ("hardcoded-cuda",), ["a.py:2 hardcoded-cuda"]),
        ("tests/*.py", ("device",), ["a.py:2 hardcoded-cuda"]),
        ("*.py", ("all",), []),
        ("/a.py", ("hardcoded-cuda",), ["tests/b.py:2 hardcoded-cuda"]),
        ("*.py", ("kept-graph",), ["a.py:2 hardcoded-cuda", "tests/b.py:2 hardcoded-cuda"]),
    ],
)
def test_rules_can_be_ignored_per_file(
    tmp_path: Path, pattern: str, names: tuple[str, ...], remaining: list[str]
) -> None:
    written(tmp_path, {"a.py": CUDA, "tests/b.py": CUDA})

    reports = linted(replace(job_of(tmp_path), per_file_ignores=((pattern, names),)))

    assert said(reports) == remaining


@pytest.mark.parametrize("name", ["unused-ignore", "source", "all"])
def test_what_the_engine_itself_reports_can_be_silenced(tmp_path: Path, name: str) -> None:
    written(tmp_path, {"a.py": f"x = torch  # torchlint: ignore[kept-graph]\n{'' if name != 'source' else '(cuda'}"})

    assert linted(replace(job_of(tmp_path), silent=frozenset({name})))[0].findings == ()
    assert linted(replace(job_of(tmp_path), per_file_ignores=(("*", (name,)),)))[0].findings == ()


def test_text_is_linted_in_place_of_what_the_file_holds(tmp_path: Path) -> None:
    written(tmp_path, {"train.py": "", "main.py": "from train import step\n"})
    job = Job(tmp_path, (Target(tmp_path / "train.py", "train.py"),), every_rule())
    reports: list[FileReport] = []

    lint_text(job, "train.py", TRAINING.encode(), reports.append)

    assert "train.py:8 item-in-training-loop" in said(reports)
    assert (tmp_path / "train.py").read_text() == ""


def test_the_root_of_a_project_is_marked_or_lies_around_its_outermost_package(tmp_path: Path) -> None:
    written(tmp_path, {"marked/pyproject.toml": "", "marked/src/pkg/a.py": ""})
    written(tmp_path, {"loose/pkg/__init__.py": "", "loose/pkg/sub/__init__.py": "", "loose/pkg/sub/a.py": ""})
    written(tmp_path, {"scripts/deep/b.py": ""})

    assert project_root(tmp_path / "marked/src/pkg/a.py") == tmp_path / "marked"
    assert project_root(tmp_path / "loose/pkg/sub/a.py") == tmp_path / "loose"
    assert project_root(tmp_path / "scripts/deep/b.py") == tmp_path / "scripts/deep"
    assert project_root(tmp_path / "scripts/deep/b.py", [tmp_path / "scripts"]) == tmp_path / "scripts"
    assert project_root(tmp_path / "marked/src") == tmp_path / "marked"


def test_a_package_that_is_built_on_its_own_is_of_the_project_around_it(tmp_path: Path) -> None:
    written(tmp_path, {"around/train.py": "", "around/op/__init__.py": "", "around/op/setup.py": ""})
    written(tmp_path, {"around/op/csrc/build.py": "", "around/own/setup.py": "", "around/own/a.py": ""})
    written(tmp_path, {"around/repository/__init__.py": "", "around/repository/.git/HEAD": ""})
    around = [tmp_path / "around"]

    assert project_root(tmp_path / "around/op/__init__.py", around) == tmp_path / "around"
    assert project_root(tmp_path / "around/op/csrc/build.py", around) == tmp_path / "around"
    assert project_root(tmp_path / "around/op/__init__.py") == tmp_path / "around/op"
    assert project_root(tmp_path / "around/own/a.py", around) == tmp_path / "around/own"
    assert project_root(tmp_path / "around/repository/__init__.py", around) == tmp_path / "around/repository"


def test_one_file_under_two_spellings_is_one_file(tmp_path: Path) -> None:
    written(tmp_path, {"pkg/a.py": CUDA, "b.py": "import pkg.a\nimport torch\n"})
    job = replace(job_of(tmp_path), targets=(Target(tmp_path / "pkg/../pkg/a.py", "pkg/a.py"),))

    assert said(linted(job)) == ["pkg/a.py:2 hardcoded-cuda"]


def test_a_file_in_a_folder_that_is_passed_over_is_linted_like_any_other(tmp_path: Path) -> None:
    written(tmp_path, {"outputs/train.py": TRAINING})

    assert "outputs/train.py:8 item-in-training-loop" in said(linted(job_of(tmp_path)))


def test_the_story_behind_a_finding_calls_files_as_findings_do(tmp_path: Path) -> None:
    written(tmp_path, {"train.py": TRAINING.replace("loss.item()", "read(loss)"), "reading.py": READING})
    written(tmp_path, {"train.py": "from reading import read\n" + (tmp_path / "train.py").read_text()})

    for job in (job_of(tmp_path), replace(job_of(tmp_path), targets=job_of(tmp_path).targets[::-1])):
        (finding,) = linted(job)[0].findings
        assert (finding.path, {step.path for step in finding.trace}) == ("reading.py", {"train.py"})
