"""Constants that decide whether a line of a training loop ever runs, and what only looks like one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout, every_step

Project: TypeAlias = Callable[[dict[str, str]], Checkout]

HEAD = """\
import torch
from torch import nn
import config
from config import VERBOSE
DEBUG = False
EVERY = 0
class Flags:
    report = False
def train(model, optimizer, loader, flags=Flags()):
    quiet = True
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
"""
CALL = """
model = nn.Linear(2, 2)
train(model, torch.optim.SGD(model.parameters(), lr=0.1), torch.utils.data.DataLoader([]))
"""
CONFIG = "VERBOSE = False\n"


def _runs_every_step(project_of: Project, test: str, more: str = "", others: Mapping[str, str] | None = None) -> bool:
    body = indent(f"{test}\n    loss.item()\n", " " * 8)
    files = {"main.py": HEAD + body + more + CALL, "config.py": CONFIG, **(others or {})}
    return every_step(project_of(files).place("loss.item()")) is not None


OFF = {
    "a literal": "if False:",
    "the other arm of a literal": "if True:\n    pass\nelse:",
    "a number": "if 0:",
    "a constant of the file": "if DEBUG:",
    "a negation": "if not DEBUG:\n    pass\nelse:",
    "an early continue": "if not DEBUG:\n    continue\nif x is not None:",
    "part of a test": "if DEBUG and x is not None:",
    "a comparison": "if EVERY > 0:",
    "a constant of the function": "if not quiet:",
    "an imported constant": "if VERBOSE:",
    "a constant of another file": "if config.VERBOSE:",
}


@pytest.mark.parametrize("test", OFF.values(), ids=OFF)
def test_what_a_constant_keeps_out_never_runs(project_of: Project, test: str) -> None:
    assert not _runs_every_step(project_of, test)


ON = {
    "a constant that lets by": "if not DEBUG:",
    "either": "if DEBUG or x is not None:",
    "an attribute of a class": "if flags.report:",
    "a comparison with what is known to nobody": "if EVERY < len(x):",
}


@pytest.mark.parametrize("test", ON.values(), ids=ON)
def test_what_a_constant_does_not_decide_runs(project_of: Project, test: str) -> None:
    assert _runs_every_step(project_of, test)


SET = {
    "below": "DEBUG = True\n",
    "by a function": "def enable():\n    global DEBUG\n    DEBUG = True\n",
    "by the command line": "import sys\nexec(sys.argv[1])\n",
    "by its name": "import sys\nglobals().update(dict(sys.argv))\n",
}


@pytest.mark.parametrize("more", SET.values(), ids=SET)
def test_what_is_set_again_is_no_constant(project_of: Project, more: str) -> None:
    assert _runs_every_step(project_of, "if DEBUG:", more)


@pytest.mark.parametrize("test", ["if config.VERBOSE:", "if VERBOSE:"])
def test_what_another_file_sets_is_no_constant(project_of: Project, test: str) -> None:
    start = "import config\nconfig.VERBOSE = True\nimport main\n"

    assert _runs_every_step(project_of, test, others={"start.py": start})
