"""What the simulator needs of PyTorch and PyTorch does not promise."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="it is torch whose names are asked for")

import torch

import torchlint.verify
from torchlint.errors import TorchlintError
from torchlint.verify.private import NEEDED, simulator

SIMULATOR = Path(torchlint.verify.__file__).with_name("sim")
# Without these races cannot be detected, which has a message of its own; there is another way; it is checked first.
SPARED = ("torch.cuda._sanitizer", "torch._tensor_str", "torch._C._distributed_c10d")


def private_names(source: str) -> Iterator[str]:
    """Yield the dotted names of torch in a source, those that have a part which begins with `_`."""
    tree = ast.parse(source)
    meanings = {"torch": "torch"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("torch."):
            meanings |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
    used = [dotted(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    for name in [*meanings, *used]:
        first, _, rest = name.partition(".")
        full = ".".join(filter(None, (meanings.get(first, ""), rest)))
        if full.startswith("torch.") and any(part.startswith("_") and part[1] != "_" for part in full.split(".")):
            yield full


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def test_every_private_name_that_is_used_is_asked_for_first() -> None:
    used = {name for file in SIMULATOR.glob("*.py") for name in private_names(file.read_text(encoding="utf-8"))}

    assert len(used) > 10
    for name in used:
        is_asked_for = any(f"{needed}.".startswith(f"{name}.") for needed in NEEDED)
        assert is_asked_for or name.startswith((*NEEDED, *SPARED)), name


@pytest.mark.parametrize("name", [name for name in NEEDED if name != "torch._dynamo"])
def test_a_name_that_is_gone_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    simulator()
    monkeypatch.delattr(name)

    with pytest.raises(TorchlintError) as told:
        simulator()

    assert told.value.lines == (f"torch {torch.__version__} has no {name}: it cannot be given pretend GPUs",)


@pytest.mark.skipif(sys.platform != "linux", reason="the server that forks is there only")
def test_the_user_is_told_in_one_line(tmp_path: Path) -> None:
    name = "torch.utils.data.dataloader._BaseDataLoaderIter"
    (tmp_path / "sitecustomize.py").write_text(f"import torch.utils.data\ndel {name}\n")
    root = str(Path(torchlint.verify.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), root])}

    run = subprocess.run(
        [sys.executable, "-m", "torchlint", "verify", "--simulate", "device-ids-mismatch"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 2
    assert run.stderr == f"error: torch {torch.__version__} has no {name}: it cannot be given pretend GPUs\n"
