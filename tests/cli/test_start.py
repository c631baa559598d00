"""What a run does not import: starting is most of what a clean run costs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from torchlint.cli import run

_CHECKOUT = Path(__file__).parents[2]
_HEAVY = {
    "libcst",
    "multiprocessing",
    "pathspec",
    "importlib.metadata",
    "torch",
    "numpy",
    "asyncio",
    "configparser",
    "shlex",
}
_RUN = """\
import sys
from torchlint.cli import run
code = run(sys.argv[1:])
print(code, *sys.modules, file=sys.stderr)
"""
_NO_TORCH = """\
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"torch", "numpy"}:
            raise AssertionError(f"{name} was imported")

sys.meta_path.insert(0, Refused())
from torchlint.cli import run
sys.exit(run(sys.argv[1:]))
"""


def python(code: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run some code of ours, in a folder."""
    environment = os.environ | {"PYTHONPATH": str(_CHECKOUT)}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def imported(*arguments: str, cwd: Path, code: str = "0") -> set[str]:
    """Return the modules that a run has imported when it is over; it is one that exits as it should."""
    exited, *modules = python(_RUN, *arguments, cwd=cwd).stderr.split()
    assert exited == code
    return set(modules)


def of_rules(modules: set[str]) -> set[str]:
    """Return the rules among modules."""
    return {name for name in modules if name.startswith("torchlint.rules.") and name.count(".") > 2}


def of_the_model(modules: set[str]) -> set[str]:
    """Return the modules of the model among others, besides those that ask bytes before anything is parsed."""
    cheap = {
        f"torchlint.model.{name}"
        for name in ("asked", "linking", "linking.contents", "linking.library", "linking.search")
    }
    return {name for name in modules if name.startswith("torchlint.model.")} - cheap


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["verify", "--help"]])
def test_what_asks_for_no_rule_imports_none(tmp_path: Path, arguments: list[str]) -> None:
    found = imported(*arguments, cwd=tmp_path)

    assert not found & (_HEAVY | {"json", "hashlib", "torchlint.engine", "torchlint.registry"})
    assert not of_rules(found) | of_the_model(found)


def test_a_page_of_the_manual_takes_one_rule(tmp_path: Path) -> None:
    found = imported("explain", "kept-graph", cwd=tmp_path)

    assert of_rules(found) == {"torchlint.rules.sync.kept_graph"}
    assert not found & (_HEAVY | {"torchlint.engine"}) | of_the_model(found)


def test_the_list_of_rules_takes_no_model(tmp_path: Path) -> None:
    found = imported("rules", cwd=tmp_path)

    assert not found & (_HEAVY | {"json"}) | of_the_model(found)


@pytest.mark.parametrize("text", ["import torch\n\nx = torch.ones(3) + 1\n", "import math\n\nprint(math.pi)\n"])
def test_a_file_in_which_nothing_can_be_found_is_linted_without_the_model(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text)

    found = imported("--isolated", "--no-cache", "a.py", cwd=tmp_path)

    assert not found & (_HEAVY | {"json", "hashlib", "tomllib", "torchlint.cache", "torchlint.fixing"})
    assert not of_the_model(found)


def test_what_answers_queries_waits_for_the_first_one(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layer = torch.nn.Linear(4, 2)\n\n    def forward(self, x):\n        return self.layer(x)\n"
    )

    found = imported("--isolated", "--no-cache", "a.py", cwd=tmp_path)

    assert "torchlint.model.values.evaluator" in found
    assert not found & {"torchlint.model.values.answers", "torchlint.model.training.step_loops"}


def test_libcst_waits_for_a_finding(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\nd = 'cuda' if torch.cuda.is_available() else 'cpu'\nx = x.to(d)\n")

    found = imported("--isolated", "--no-cache", "a.py", cwd=tmp_path)

    assert "torchlint.model.values.evaluator" in found
    assert not found & _HEAVY


def test_a_run_on_which_nothing_changed_imports_neither_rules_nor_model(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\nx = torch.ones(3)\n")
    # What is younger than two seconds may change once more without a trace.
    os.utime(tmp_path / "a.py", (0, 0))
    time.sleep(2.1)
    imported("--isolated", ".", cwd=tmp_path)

    found = imported("--isolated", ".", cwd=tmp_path)

    assert not found & (
        _HEAVY | {"torchlint.registry", "torchlint.engine.linter", "torchlint.model", "torchlint.rules"}
    )


def test_linting_never_imports_torch(tmp_path: Path) -> None:
    demo = _CHECKOUT / "fixtures" / "demo-project"

    ran = python(_NO_TORCH, "--output-format", "concise", str(demo), cwd=tmp_path)

    assert ran.stderr == ""
    assert ran.returncode == 1
    assert "hardcoded-cuda" in ran.stdout


def test_the_help_cuts_no_summary_of_a_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    run(["--help"])

    commands = capsys.readouterr().out.partition("\nCommands:\n")[2].partition("\n\n")[0]
    assert "  verify " in commands
    assert "..." not in commands
