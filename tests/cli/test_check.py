"""What is linted, by which rules, and what the exit code and the output say of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from tests.cli.conftest import Ran, Torchlint
from torchlint import Confidence, Finding, Rule, Severity, SourceFile, __version__
from torchlint.registry import installed_rules

_DEMO = Path(__file__).parents[2] / "fixtures" / "demo-project"
_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'
_FOUND = (
    'hardcoded-cuda `"cuda"` raises on a machine without CUDA; '
    "choose the device once, with `torch.cuda.is_available()`\n"
)
_EVALUATION = """\
import torch

def count(model, loader):
    right = 0
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
    return right
"""
_TRAINING = """\
import op
import torch

def train(model, loader, optimizer):
    for x in loader:
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
        print(op.read(loss))
"""


def concise(ran: Ran) -> list[str]:
    """Return the places and rules of concise output."""
    return [" ".join(line.split(" ")[:2]) for line in ran.out.splitlines()]


@pytest.fixture
def project(here: Path) -> Path:
    """Return the folder that is run in, with a finding in each of `a.py`, `b/c.py` and `b.py`."""
    (here / "b").mkdir()
    for name in ("b.py", "a.py", "b/c.py"):
        (here / name).write_text(_CUDA)
    return here


def test_without_a_path_the_folder_one_is_in_is_linted_in_the_order_of_paths(
    project: Path, torchlint: Torchlint
) -> None:
    ran = torchlint("--output-format", "concise")

    lines = [f"{name}:3:26: {_FOUND}" for name in ("a.py", "b.py", "b/c.py")]
    fixable = "[-] 3 fixable with `torchlint --fix --unsafe-fixes`.\n"
    found = "Found 3 findings (3 warnings) in 3 of 3 files, 0.00 s.\n"
    assert ran == Ran(1, f"{''.join(lines)}{found}{fixable}", "")


def test_check_is_the_same_with_a_verb(project: Path, torchlint: Torchlint) -> None:
    assert torchlint("check", "a.py") == torchlint("a.py")


def test_a_folder_called_like_a_command_is_reached_by_its_path(here: Path, torchlint: Torchlint) -> None:
    (here / "rules").mkdir()
    (here / "rules" / "a.py").write_text(_CUDA)

    assert torchlint("./rules").code == 1
    assert torchlint("check", "rules").code == 1
    assert torchlint("rules").code == 0


def test_a_file_is_linted_once_however_often_it_is_named(project: Path, torchlint: Torchlint) -> None:
    ran = torchlint("-q", "--output-format", "concise", "b", "b/c.py", "./b/c.py", str(project / "b"))

    assert concise(ran) == ["b/c.py:3:26: hardcoded-cuda"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 1),
        (["--exit-zero"], 0),
        (["--ignore", "device"], 0),
        (["--select", "sync"], 0),
        (["--select", "sync,hardcoded-cuda"], 1),
        (["--select", "sync", "--select", "device"], 1),
        (["--select", "all", "--ignore", "hardcoded-cuda"], 0),
        (["--select", "hardcoded-cuda", "--ignore", "device"], 1),
    ],
)
def test_findings_of_the_rules_that_run_make_the_exit_code(
    project: Path, torchlint: Torchlint, arguments: list[str], code: int
) -> None:
    assert torchlint(*arguments, "a.py").code == code


def test_a_hint_does_not_fail_a_run(here: Path, torchlint: Torchlint) -> None:
    (here / "eval.py").write_text(_EVALUATION)

    ran = torchlint("--select", "item-in-eval-loop", "--output-format", "concise")

    assert ran.code == 0
    assert ran.out.endswith("Found 1 finding (1 info) in 1 of 1 file, 0.00 s.\n")


def test_the_nearest_configuration_holds_for_each_file(project: Path, torchlint: Torchlint) -> None:
    (project / "pyproject.toml").write_text('[tool.torchlint]\nignore = ["device"]\n')
    (project / "b" / "torchlint.toml").write_text('select = ["hardcoded-cuda"]\n')

    ran = torchlint("-q", "--output-format", "concise")

    assert concise(ran) == ["b/c.py:3:26: hardcoded-cuda"]


def test_the_command_line_goes_before_the_configuration(project: Path, torchlint: Torchlint) -> None:
    (project / "torchlint.toml").write_text('select = ["device"]\nignore = ["hardcoded-cuda"]\n')

    assert torchlint("a.py").code == 0
    assert torchlint("--select", "hardcoded-cuda", "a.py").code == 1
    assert torchlint("--isolated", "a.py").code == 1


def test_a_configuration_can_be_given(project: Path, torchlint: Torchlint) -> None:
    (project / "torchlint.toml").write_text('ignore = ["device"]\n')
    (project / "strict.toml").write_text("")

    assert torchlint("a.py").code == 0
    assert torchlint("--config", "strict.toml", "a.py").code == 1
    assert torchlint("--config", "torchlint.toml", "--ignore", "sync", "a.py").code == 0


def test_what_is_excluded_is_linted_where_it_is_named_unless_forced(project: Path, torchlint: Torchlint) -> None:
    (project / "torchlint.toml").write_text('extend-exclude = ["b/"]\n')
    (project / "venv").mkdir()
    (project / "venv" / "d.py").write_text(_CUDA)

    walked = torchlint("-q", "--output-format", "concise")
    named = torchlint("-q", "--output-format", "concise", "b/c.py", "venv/d.py")
    forced = torchlint("-q", "--output-format", "concise", "--force-exclude", "a.py", "b/c.py", "venv/d.py")

    assert concise(walked) == ["a.py:3:26: hardcoded-cuda", "b.py:3:26: hardcoded-cuda"]
    assert concise(named) == ["b/c.py:3:26: hardcoded-cuda", "venv/d.py:3:26: hardcoded-cuda"]
    assert concise(forced) == ["a.py:3:26: hardcoded-cuda"]


def test_what_a_nearer_configuration_excludes_is_left_out_of_a_walk(project: Path, torchlint: Torchlint) -> None:
    (project / "b" / "torchlint.toml").write_text('exclude = ["c.py"]\n')

    ran = torchlint("-q", "--output-format", "concise")

    assert concise(ran) == ["a.py:3:26: hardcoded-cuda", "b.py:3:26: hardcoded-cuda"]


def test_patterns_for_files_hold_from_where_the_configuration_is(
    project: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "torchlint.toml").write_text('[per-file-ignores]\n"b/*.py" = ["device"]\n')
    monkeypatch.chdir(project / "b")

    assert torchlint("c.py", "../a.py", "-q", "--output-format", "concise").out == f"{project}/a.py:3:26: {_FOUND}"


def test_what_the_engine_reports_can_be_ignored_by_its_name(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text("import torch\nx = 1  # torchlint: ignore[hardcoded-cuda] once was\n")

    assert concise(torchlint("-q", "--output-format", "concise")) == ["a.py:2:28: unused-ignore"]
    assert torchlint("--ignore", "unused-ignore").code == 0
    assert torchlint("--ignore", "source").code == 0


def test_what_is_suppressed_is_counted(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(_CUDA.replace("\n\n", "\n\n# torchlint: ignore[hardcoded-cuda] runs on the cluster\n"))

    ran = torchlint("--output-format", "json")

    document = json.loads(ran.out)
    assert (ran.code, document["summary"]["suppressed"], document["findings"]) == (0, 1, [])


def test_a_file_is_linted_with_the_project_around_it(here: Path, torchlint: Torchlint) -> None:
    copytree(_DEMO, here / "demo")

    ran = torchlint("-q", "demo/checkpoint.py")

    assert "  --> demo/checkpoint.py:9:18\n" in ran.out
    assert "  ::: demo/train.py:29:13\n" in ran.out
    assert "demo/model.py" not in ran.out


@pytest.mark.parametrize("jobs", ["1", "2", "5"])
def test_the_output_is_the_same_for_any_number_of_workers(project: Path, torchlint: Torchlint, jobs: str) -> None:
    for number in range(20):
        (project / f"more{number}.py").write_text(_CUDA)

    ran = torchlint("--jobs", jobs)

    assert ran == torchlint()
    assert ran.out.count("hardcoded-cuda]") == 23


def test_the_json_is_one_object_with_paths_from_where_it_ran(project: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--output-format", "json", "b", "nowhere.py")

    document = json.loads(ran.out)
    assert document["tool"] == {"name": "torchlint", "version": __version__}
    assert [finding["path"] for finding in document["findings"]] == ["b/c.py"]
    assert document["errors"] == [
        {"path": "nowhere.py", "kind": "missing-path", "message": "path does not exist: nowhere.py"}
    ]
    assert ran.err == "error: path does not exist: nowhere.py\n"


def test_json_lines_end_with_the_summary(project: Path, torchlint: Torchlint) -> None:
    lines = torchlint("--output-format", "json-lines").out.splitlines()

    assert [json.loads(line).get("path") for line in lines] == ["a.py", "b.py", "b/c.py", None]


def test_statistics_count_the_findings_of_each_rule(project: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--statistics")

    assert ran.out == (
        "  3  [-] hardcoded-cuda  warning  high\n"
        "Found 3 findings in 3 of 3 files. [-] 3 unsafe fixes.\n"
        "Most affected: a.py (1), b.py (1), b/c.py (1).\n"
    )


def test_in_a_job_of_githubs_findings_are_annotations(
    project: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")

    ran = torchlint("-q", "a.py")
    asked = torchlint("-q", "--output-format", "concise", "a.py")

    where = "file=a.py,line=3,endLine=3,col=26,endColumn=32,title=torchlint (hardcoded-cuda)"
    assert ran.out.startswith(f"::warning {where}::a.py:3:26: {_FOUND.rstrip()}")
    assert asked.out == f"a.py:3:26: {_FOUND}"


def test_a_clean_run_says_so_in_one_line(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text("import torch\n")

    assert torchlint() == Ran(0, "All checks passed (1 file, 0.00 s).\n", "")
    assert torchlint("-q") == Ran(0, "", "")
    assert torchlint("--no-cache", "--traceback") == torchlint()


class Broken(Rule):
    """Raise."""

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        raise LookupError("no such thing")


@pytest.fixture
def _with_a_broken_rule() -> Iterator[None]:
    rules = installed_rules()
    rules["broken"] = Broken
    yield
    del rules["broken"]


@pytest.mark.usefixtures("_with_a_broken_rule")
def test_a_rule_that_raises_costs_neither_the_other_rules_nor_the_other_files(
    project: Path, torchlint: Torchlint
) -> None:
    ran = torchlint("-q", "--output-format", "concise", "a.py", "b.py")

    assert ran.code == 2
    assert concise(ran) == ["a.py:3:26: hardcoded-cuda", "b.py:3:26: hardcoded-cuda"]
    first, tip, second, _ = ran.err.splitlines()
    assert first.startswith("error: rule `broken` failed on a.py (LookupError: no such thing")
    assert second.startswith("error: rule `broken` failed on b.py (LookupError: no such thing")
    assert tip == "  tip: this is a bug in torchlint: please report it, with what --traceback shows"


@pytest.mark.usefixtures("_with_a_broken_rule")
def test_where_a_rule_raised_is_shown_on_demand(project: Path, torchlint: Torchlint) -> None:
    ran = torchlint("-q", "--traceback", "a.py")

    assert "Traceback (most recent call last):" in ran.err
    assert 'raise LookupError("no such thing")' in ran.err


def test_what_trains_around_a_package_that_is_built_on_its_own_is_seen(here: Path, torchlint: Torchlint) -> None:
    (here / "op").mkdir()
    (here / "op/setup.py").touch()
    (here / "op/__init__.py").write_text("import torch\n\ndef read(value):\n    return value.item()\n")
    (here / "train.py").write_text(_TRAINING)

    ran = torchlint(".", "--output-format", "concise")

    assert "op/__init__.py:4:12: item-in-training-loop" in concise(ran)


def test_a_folder_is_written_for_what_its_own_requirements_say(here: Path, torchlint: Torchlint) -> None:
    hook = "from pytorch_lightning import LightningModule\n\nclass Model(LightningModule):\n"
    hook += "    def training_epoch_end(self, outputs):\n        print(len(outputs))\n"
    load = 'import torch\n\nstate = torch.load("best.pt")\n'
    for folder in ("old", "old/inner", "new"):
        (here / folder).mkdir()
        (here / folder / "model.py").write_text(hook)
        (here / folder / "load.py").write_text(load)
    (here / "requirements.txt").write_text("torch>=2.6\n")
    (here / "old" / "requirements.txt").write_text("torch>=1.13\npytorch-lightning==1.9.5\n")

    ran = torchlint("--output-format", "concise", "--select", "removed-lightning-hook,unsafe-load")

    assert concise(ran)[:3] == [
        "new/model.py:4:9: removed-lightning-hook",
        "old/inner/load.py:3:9: unsafe-load",
        "old/load.py:3:9: unsafe-load",
    ]
