"""What a run does not import: starting is most of what a clean run costs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_CHECKOUT = Path(__file__).parents[2]
_HEAVY = {"libcst", "multiprocessing", "pathspec", "json", "importlib.metadata", "torch", "numpy", "asyncio"}
_RUN = """\
import sys
from torchlint.cli import run
code = run(sys.argv[1:])
print(code, *sorted(HEAVY & set(sys.modules)), file=sys.stderr)
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


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["explain", "kept-graph"], ["rules"], ["verify", "--help"]]
)
def test_what_lints_nothing_imports_nothing_heavy(tmp_path: Path, arguments: list[str]) -> None:
    # The page cites a record, and records are JSON.
    heavy = _HEAVY - ({"json"} if arguments[0] == "explain" else set())

    ran = python(_RUN.replace("HEAVY", repr(heavy)), *arguments, cwd=tmp_path)

    assert ran.stderr == "0\n"


def test_a_clean_file_is_linted_without_what_only_findings_need(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\nx = torch.ones(3)\n")

    # What is known of a file is kept as JSON.
    ran = python(_RUN.replace("HEAVY", repr(_HEAVY - {"json"})), "--isolated", "a.py", cwd=tmp_path)

    assert ran.stderr == "0\n"


def test_linting_never_imports_torch(tmp_path: Path) -> None:
    demo = _CHECKOUT / "fixtures" / "demo-project"

    ran = python(_NO_TORCH, "--output-format", "concise", str(demo), cwd=tmp_path)

    assert ran.stderr == ""
    assert ran.returncode == 1
    assert "hardcoded-cuda" in ran.stdout
