"""What users install: the wheel, an editable checkout, a hook of pre-commit, each where nothing else is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from torchlint import __version__
from torchlint.registry import builtin_rules
from torchlint.verify.installed import NO_TORCH

_CHECKOUT = Path(__file__).parents[1]
_BIN = "Scripts" if sys.platform == "win32" else "bin"
_DEMO_FINDINGS = 5

pytestmark = pytest.mark.slow


def ran(*command: str | Path, cwd: Path, code: int = 0) -> str:
    """Return what a command wrote to stdout, or fail with all it wrote where it exits otherwise than it should."""
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "GITHUB_ACTIONS"}}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def environment_in(folder: Path, *requirements: str | Path) -> Path:
    """Return the programs of a fresh virtual environment in which something is installed."""
    # The pip of the tests installs there: to install one in each environment takes longer than what is asked for.
    venv.create(folder, with_pip=False)
    pip = (sys.executable, "-m", "pip", "--python", folder / _BIN / "python")
    ran(*pip, "install", "--quiet", *requirements, cwd=folder)
    return folder / _BIN


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built from the sdist as a package index gets both."""
    folder = tmp_path_factory.mktemp("dist")
    ran(sys.executable, "-m", "build", "--outdir", folder, _CHECKOUT, cwd=folder)
    (built,) = folder.glob("*.whl")
    assert len([*folder.glob("*.tar.gz")]) == 1
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of an environment with the wheel, and no torch."""
    return environment_in(tmp_path_factory.mktemp("wheel"), wheel)


def test_the_wheel_carries_the_rules_the_fixtures_and_the_evidence(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    assert "torchlint/rules/sync/kept_graph.py" in names
    assert "torchlint/fixtures/demo-project/train.py" in names
    assert "torchlint/py.typed" in names
    assert {"torchlint/output/schema.json", "torchlint/config/schema.json"} <= names
    assert any(name.startswith("torchlint/evidence/") for name in names)
    assert not any(name.startswith(("rules/", "fixtures/", "tests/")) for name in names)


def test_the_wheel_lints_with_all_its_rules(installed: Path, tmp_path: Path) -> None:
    shutil.copytree(_CHECKOUT / "fixtures" / "demo-project", tmp_path / "demo")

    found = ran(installed / "torchlint", "--output-format", "concise", "demo", cwd=tmp_path, code=1)
    listed = ran(installed / "torchlint", "rules", cwd=tmp_path)

    assert f"\nFound {_DEMO_FINDINGS} findings at 6 places (3 errors, 2 warnings) in 3 of 4 files" in found
    assert builtin_rules().keys() <= {line.strip().partition(" ")[0] for line in listed.splitlines()}
    assert ran(installed / "torchlint", "--version", cwd=tmp_path) == f"torchlint {__version__}\n"


def test_the_wheel_explains_with_programs_and_evidence(installed: Path, tmp_path: Path) -> None:
    page = ran(installed / "torchlint", "explain", "kept-graph", cwd=tmp_path)

    assert "Bad: `# error` marks what is reported (" in page
    assert "proved on " in page


def test_the_module_is_the_command(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n")

    assert ran(installed / "python", "-m", "torchlint", "-q", ".", cwd=tmp_path) == ""


def test_the_wheel_needs_torch_to_verify_alone(installed: Path, tmp_path: Path) -> None:
    command = [str(installed / "torchlint"), "--verify-on-gpu"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {NO_TORCH}\n")


def test_an_editable_checkout_lints(tmp_path: Path) -> None:
    programs = environment_in(tmp_path / "venv", "--editable", _CHECKOUT)

    found = ran(
        programs / "torchlint",
        "-q",
        "--output-format",
        "concise",
        ".",
        cwd=_CHECKOUT / "fixtures" / "demo-project",
        code=1,
    )

    assert found.count("\n") == _DEMO_FINDINGS


def staged(scratch: Path, hook: str) -> None:
    """Make a repository of the demo, with a stub and what no one lints, and one hook of this commit."""
    shutil.copytree(_CHECKOUT / "fixtures" / "demo-project", scratch)
    revision = ran("git", "rev-parse", "HEAD", cwd=_CHECKOUT).strip()
    settings = f"repos:\n- repo: {_CHECKOUT.as_posix()}\n  rev: {revision}\n  hooks: [{hook}]\n"
    (scratch / ".pre-commit-config.yaml").write_text(settings)
    (scratch / "stub.pyi").write_text("x = (1,\n")
    (scratch / "node_modules").mkdir()
    (scratch / "node_modules" / "made.py").write_text("x = (1,\n")
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
    ran(*git, "init", "--quiet", cwd=scratch)
    ran(*git, "add", "--force", ".", cwd=scratch)


def pre_commit(scratch: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run the hooks on all that is staged."""
    command = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"]
    environment = os.environ | {"PRE_COMMIT_HOME": str(home)}
    return subprocess.run(command, cwd=scratch, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where pre-commit keeps what it installs."""
    return tmp_path_factory.mktemp("home")


@pytest.mark.skipif(not (_CHECKOUT / ".git").exists(), reason="pre-commit clones a repository")
def test_pre_commit_lints_what_is_staged(tmp_path: Path, home: Path) -> None:
    scratch = tmp_path / "scratch"
    staged(scratch, "{id: torchlint, args: [--select, kept-graph]}")

    done = pre_commit(scratch, home)

    assert done.returncode == 1, done.stderr
    assert "- exit code: 1\n" in done.stdout
    assert "error[kept-graph] " in done.stdout
    assert "  --> train.py:19:9\n" in done.stdout
    assert "  --> stub.pyi:1:5\n" in done.stdout
    assert "made.py" not in done.stdout


@pytest.mark.skipif(not (_CHECKOUT / ".git").exists(), reason="pre-commit clones a repository")
def test_pre_commit_mends_what_is_safe_to_mend(tmp_path: Path, home: Path) -> None:
    scratch = tmp_path / "scratch"
    staged(scratch, "{id: torchlint-fix, args: [--select, kept-graph]}")
    (scratch / "stub.pyi").write_text("x: int\n")
    ran("git", "add", ".", cwd=scratch)

    done = pre_commit(scratch, home)

    assert done.returncode == 1, done.stderr
    assert "- files were modified by this hook\n" in done.stdout
    assert "total += loss.detach()" in (scratch / "train.py").read_text()
    assert pre_commit(scratch, home).returncode == 0
