"""Which checkpoints have no choice of how to recompute."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from rules.deprecated.detectors.reentrant_checkpoints import reentrant_checkpoints
from tests.checkout import Checkout, asked
from torchlint.fixing.draft import Draft
from torchlint.model import Project

Program: TypeAlias = Callable[[str], Checkout]
RULE = "reentrant-checkpoint"
HEAD = """\
import inspect, torch
from functools import partial
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from elsewhere import block, blocks, options, x, xs
"""
UNTOLD = {
    "by name": ("checkpoint(block, x)", "checkpoint(block, x, use_reentrant=False)"),
    "of the module": ("cp.checkpoint(block, x)", "cp.checkpoint(block, x, use_reentrant=False)"),
    "by its full name": (
        "torch.utils.checkpoint.checkpoint(block, x)",
        "torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)",
    ),
    "of many inputs": ("checkpoint(block, *xs)", "checkpoint(block, *xs, use_reentrant=False)"),
    "with another option": (
        "checkpoint(block, x, preserve_rng_state=False)",
        "checkpoint(block, x, preserve_rng_state=False, use_reentrant=False)",
    ),
    "of a sequence": (
        "checkpoint_sequential(blocks, 2, x)",
        "checkpoint_sequential(blocks, 2, x, use_reentrant=False)",
    ),
    "behind another test": (
        "if options:\n    x = checkpoint(block, x)",
        "if options:\n    x = checkpoint(block, x, use_reentrant=False)",
    ),
}
TOLD = {
    "no": "checkpoint(block, x, use_reentrant=False)",
    "yes": "checkpoint(block, x, use_reentrant=True)",
    "by an option": "checkpoint(block, x, use_reentrant=options.reentrant)",
    "by who knows whom": "checkpoint(block, x, **options)",
    "in advance": "run = partial(checkpoint, use_reentrant=False)\nrun(block, x)",
    "of a sequence, by position": "checkpoint_sequential(blocks, 2, x, False)",
    "of a sequence, by a star": "checkpoint_sequential(blocks, *xs)",
    "where there is such an argument": (
        "if 'use_reentrant' in inspect.signature(checkpoint).parameters:\n"
        "    checkpoint(block, x, use_reentrant=False)\nelse:\n    checkpoint(block, x)"
    ),
    "where it is taken": (
        "try:\n    checkpoint(block, x, use_reentrant=False)\nexcept TypeError:\n    checkpoint(block, x)"
    ),
    "behind a version": "if torch.__version__ < '2.0':\n    checkpoint(block, x)",
    "another function": "def checkpoint(model, path): pass\ncheckpoint(block, x)",
    "a method": "block.checkpoint(block, x)",
}


@pytest.mark.parametrize(("code", "mended"), UNTOLD.values(), ids=UNTOLD)
def test_checkpoints_are_told_how(program: Program, code: str, mended: str) -> None:
    (finding,) = program(f"{HEAD}{code}\n").findings(RULE)

    assert finding.fix is not None
    draft = Draft("main.py", f"{HEAD}{code}\n".encode())
    assert draft.edited(finding.fix.edits).decode() == f"{HEAD}{mended}\n"


@pytest.mark.parametrize("code", TOLD.values(), ids=TOLD)
def test_what_is_told_or_asked_before_is_left_alone(program: Program, code: str) -> None:
    assert program(f"{HEAD}{code}\n").reported(RULE) == []


@pytest.mark.parametrize(
    ("code", "target", "is_found"),
    [
        ("checkpoint(block, x)", (1, 10), False),
        ("checkpoint(block, x)", (1, 11), True),
        ("checkpoint_sequential(blocks, 2, x)", (2, 0), False),
        ("checkpoint_sequential(blocks, 2, x)", (2, 1), True),
    ],
)
def test_nothing_is_told_where_there_may_be_no_such_argument(
    tmp_path: Path, code: str, target: tuple[int, int], is_found: bool
) -> None:
    (tmp_path / "main.py").write_text(f"{HEAD}{code}\n")

    file = Project(tmp_path, target).open(tmp_path / "main.py", "main.py")

    assert bool(list(asked(reentrant_checkpoints, file))) is is_found
