"""A program that saves the state dict of a wrapper, and files of its project that load it."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

from tests.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "wrapped-state-dict"
NET = "from torch import nn\nclass Net(nn.Module): ...\nclass Other(nn.Module): ...\n"
HEAD = "import argparse, os, torch\nfrom torch import nn\nfrom net import Net, Other\n"
OPTIONS = "args = argparse.ArgumentParser().parse_args()\n"
TRAIN = HEAD + OPTIONS + "net = nn.DataParallel(Net())\n"
SAVE = "torch.save({'state': net.state_dict(), 'epoch': 1}, os.path.join(args.out, 'last.pt'))"


def grade_of(project: Checkout, path: str = "main.py") -> str:
    """Return how gravely a file's saves are reported: as an error, a warning, or not at all."""
    return " ".join(sorted({finding.severity.value for finding in project.findings(RULE, path)}))


def graded(project_of: ProjectOf, train: str, **others: str) -> str:
    files = {f"{name}.py": HEAD + OPTIONS + dedent(text) for name, text in others.items()}
    return grade_of(project_of({"net.py": NET, "main.py": TRAIN + dedent(train) + SAVE + "\n", **files}))


RESUME = "net.load_state_dict(torch.load(args.resume)['state'])\n"
