"""The rule pack that is shown as an example, installed as a stranger would, and tested by its own tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_CHECKOUT = Path(__file__).parents[1]
_PACK = _CHECKOUT / "examples" / "torchlint-randomness"
_SCRIPT = """\
import torch

model = torch.nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters())
for batch in torch.rand(20, 4, 3):
    torch.manual_seed(0)
    optimizer.zero_grad()
    model(batch).sum().backward()
    optimizer.step()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the pack is installed, and nothing else."""
    folder = tmp_path_factory.mktemp("site")
    alone = ["--no-deps", "--no-build-isolation", "--no-index", "--target", folder]
    command = [sys.executable, "-m", "pip", "install", "--quiet", *alone, _PACK]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def ran(site: Path, cwd: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a module with the pack at hand."""
    named = {"GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "PYTEST_ADDOPTS"}
    environment = {name: value for name, value in os.environ.items() if name not in named}
    environment["PYTHONPATH"] = os.pathsep.join([str(_CHECKOUT), str(site)])
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_its_own_tests_pass(site: Path, tmp_path: Path) -> None:
    done = ran(site, tmp_path, "pytest", "-q", "-p", "no:cacheprovider", _PACK / "tests")

    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_its_rule_runs_beside_those_of_torchlint(site: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(_SCRIPT)
    (tmp_path / "pyproject.toml").write_text('[tool.torchlint]\nselect = ["randomness", "sync"]\n')

    done = ran(site, tmp_path, "torchlint", "-q", "--output-format", "concise", "train.py")

    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        "train.py:6:5: seed-in-training-loop `torch.manual_seed(0)` makes every step draw the same numbers; "
        "seed once, before the loop\n"
    )


def test_its_page_shows_its_programs(site: Path, tmp_path: Path) -> None:
    done = ran(site, tmp_path, "torchlint", "explain", "seed-in-training-loop")

    assert done.returncode == 0
    assert "torch.manual_seed(seed)  # error" in done.stdout
