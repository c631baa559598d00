"""What a run leaves for the next one: valid entries are used, and the cache never disturbs another program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Torchlint

_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'
_MODEL = "import torch\nfrom settings import DEVICE\n\nx = torch.ones(3, device=DEVICE)\n"
_FOLDER = ".torchlint_cache"
_CHECKOUT = Path(__file__).parents[2]
_LINTED = "0 of them from the cache"


@pytest.fixture
def project(here: Path) -> Path:
    """Return the folder that is run in, with three files of which one rests on another."""
    (here / "settings.py").write_text('DEVICE = "cpu"\n')
    (here / "model.py").write_text(_MODEL)
    (here / "alone.py").write_text(_CUDA)
    return here


def from_cache(ran: Ran) -> str:
    return ran.err.splitlines()[0]


def kept(project: Path) -> Path:
    (path,) = (project / _FOLDER).glob("*.cache")
    return path


def test_a_second_run_lints_nothing_and_says_the_same(project: Path, torchlint: Torchlint) -> None:
    first, second = torchlint(), torchlint("--timing")

    assert (second.code, second.out) == (first.code, first.out)
    assert from_cache(second) == "3 files, 3 of them from the cache"
    assert "hardcoded-cuda" in second.out


def test_what_rests_on_a_changed_file_is_linted_again_and_the_rest_is_not(project: Path, torchlint: Torchlint) -> None:
    torchlint()
    (project / "settings.py").write_text('DEVICE = "cuda"\n')

    ran = torchlint("--timing", "--output-format", "concise")

    assert from_cache(ran) == "3 files, 1 of them from the cache"
    assert ran.out == torchlint("--no-cache", "--output-format", "concise").out


def test_what_rests_on_imports_alone_stands_where_code_changed(project: Path, torchlint: Torchlint) -> None:
    (project / "main.py").write_text("import torch\nimport run\n\ntorch.autograd.set_detect_anomaly(True)\n")
    (project / "run.py").write_text("STEPS = 3\n")
    (project / "steps.py").write_text("loss.backward()\n")
    torchlint()
    (project / "run.py").write_text("STEPS = 4\n")
    code_changed = torchlint("--timing", "--output-format", "concise")
    (project / "run.py").write_text("import steps\n\nSTEPS = 4\n")
    imports_changed = torchlint("--output-format", "concise")

    assert from_cache(code_changed) == "6 files, 5 of them from the cache"
    assert "debug-left-on" not in code_changed.out
    assert "debug-left-on" in imports_changed.out


def test_a_file_that_was_looked_for_in_vain_counts_when_it_is_there(project: Path, torchlint: Torchlint) -> None:
    (project / "settings.py").unlink()
    torchlint()
    (project / "settings.py").write_text('DEVICE = "cuda"\n')

    cached, anew = torchlint(), torchlint("--no-cache")

    assert cached == anew


def test_other_settings_are_other_runs(project: Path, torchlint: Torchlint) -> None:
    torchlint()

    ran = torchlint("--ignore", "hardcoded-cuda", "--timing")

    assert _LINTED in from_cache(ran)
    assert "hardcoded-cuda" not in ran.out


def test_an_unknown_rule_is_told_whatever_is_kept(project: Path, torchlint: Torchlint) -> None:
    torchlint()

    assert torchlint("--select", "hardcoded-cdua").code == 2


@pytest.mark.parametrize("damage", [b"", b"{}", b"\0" * 5000, None])
def test_a_damaged_cache_is_a_slower_run(project: Path, torchlint: Torchlint, damage: bytes | None) -> None:
    first = torchlint()
    path = kept(project)
    path.write_bytes(path.read_bytes()[:-100] if damage is None else damage)
    (project / "settings.py").write_text('DEVICE = "cpu"  # still\n')

    assert torchlint() == first


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_cannot_be_written_is_a_slower_run(project: Path, torchlint: Torchlint) -> None:
    (project / _FOLDER).mkdir(mode=0o500)

    assert torchlint() == torchlint("--no-cache")


def test_a_file_in_place_of_the_folder_is_a_slower_run(project: Path, torchlint: Torchlint) -> None:
    (project / _FOLDER).write_text("mine")

    assert torchlint() == torchlint("--no-cache")
    assert (project / _FOLDER).read_text() == "mine"


def test_runs_at_the_same_time_leave_a_whole_cache(project: Path, torchlint: Torchlint) -> None:
    environment = os.environ | {"PYTHONPATH": str(_CHECKOUT)}
    command = [sys.executable, "-m", "torchlint", "-q"]
    runs = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(3)]

    assert [one.wait() for one in runs] == [1, 1, 1]
    assert from_cache(torchlint("--timing")) == "3 files, 3 of them from the cache"
    assert not list((project / _FOLDER).glob("*.tmp"))


def test_the_folder_of_the_cache_is_marked_and_ignored_by_git(project: Path, torchlint: Torchlint) -> None:
    torchlint()

    assert (project / _FOLDER / ".gitignore").read_text() == "*\n"
    assert (project / _FOLDER / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_no_cache_leaves_nothing(project: Path, torchlint: Torchlint) -> None:
    torchlint("--no-cache")

    assert not (project / _FOLDER).exists()


def test_the_cache_is_where_it_was_asked_for(project: Path, torchlint: Torchlint) -> None:
    torchlint("--cache-dir", "elsewhere")

    assert not (project / _FOLDER).exists()
    assert list((project / "elsewhere").glob("*.cache"))


def test_clean_removes_the_cache_and_nothing_else(project: Path, torchlint: Torchlint) -> None:
    torchlint()

    assert torchlint("clean").code == 0
    assert sorted(path.name for path in project.iterdir()) == [".git", "alone.py", "model.py", "settings.py"]


def test_clean_of_what_is_not_there_removes_nothing(project: Path, torchlint: Torchlint) -> None:
    torchlint()

    assert torchlint("clean", "nowhere").err == "error: path does not exist: nowhere\n"
    assert (project / _FOLDER).exists()


def test_clean_leaves_a_folder_alone_that_is_no_cache(project: Path, torchlint: Torchlint) -> None:
    (project / _FOLDER).mkdir()
    (project / _FOLDER / "mine").write_text("")

    ran = torchlint("clean")

    assert ran.code == 2
    assert (project / _FOLDER / "mine").exists()


def test_what_is_suppressed_or_unreadable_is_told_the_same_from_the_cache(project: Path, torchlint: Torchlint) -> None:
    (project / "alone.py").write_text(f"{_CUDA.rstrip()}  # torchlint: ignore\ny = 1  # torchlint: ignore\n")
    (project / "broken.py").write_bytes(b"import torch\nx = (\n\xff")

    first, second = torchlint("--output-format", "json"), torchlint("--output-format", "json")

    told = json.loads(second.out)["findings"]
    assert json.loads(first.out)["findings"] == told
    assert {"unused-ignore", "unreadable-source"} <= {finding["rule"] for finding in told}


def test_a_fix_is_made_on_what_is_there(project: Path, torchlint: Torchlint) -> None:
    torchlint()
    (project / "alone.py").write_text(f"\n\n{_CUDA}")

    ran = torchlint("--fix", "--unsafe-fixes", "-q")

    assert ran.code == 0
    assert "is_available" in (project / "alone.py").read_text()


def test_the_environment_and_the_configuration_say_where_the_cache_is(
    project: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "torchlint.toml").write_text('cache-dir = "kept/here"\n')
    torchlint()
    monkeypatch.setenv("TORCHLINT_CACHE_DIR", "there")
    torchlint()

    assert [*(project / "kept" / "here").glob("*.cache")]
    assert [*(project / "there").glob("*.cache")]
    assert not (project / _FOLDER).exists()
    assert torchlint("clean").err == f"removed {project / 'kept' / 'here'}\n"


def test_the_environment_does_without_a_cache(
    project: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHLINT_NO_CACHE", "1")
    torchlint()

    assert not (project / _FOLDER).exists()
