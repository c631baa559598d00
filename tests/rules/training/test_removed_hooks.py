"""Which methods of a LightningModule Lightning 2 refuses, or never calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import Project
from torchlint.pytorch.requirements import Required, Version

Program: TypeAlias = Callable[[str], Checkout]
RULE = "removed-lightning-hook"
HEAD = "import lightning as L\nimport pytorch_lightning as pl\nimport torch\nfrom lightning.pytorch import LightningModule\n"
OWN = "class Own({}):\n    def {}:\n        return 0\n"
WRONG = {
    "the end of an epoch": OWN.format("pl.LightningModule", "training_epoch_end(self, outputs)"),
    "of validation": OWN.format("L.LightningModule", "validation_epoch_end(self, outputs)"),
    "of a test": OWN.format("LightningModule", "test_epoch_end(self, outputs)"),
    "the end of a step": OWN.format("pl.LightningModule", "training_step_end(self, outputs)"),
    "an index of optimizers": OWN.format("pl.LightningModule", "training_step(self, batch, i, optimizer_idx)"),
    "an index that may be none": OWN.format("pl.LightningModule", "training_step(self, batch, i, optimizer_idx=None)"),
    "in a class in between": "class Base(pl.LightningModule):\n    pass\n"
    + OWN.format("Base", "validation_epoch_end(self, outputs)"),
}
RIGHT = {
    "a hook that is there": OWN.format("pl.LightningModule", "on_validation_epoch_end(self)"),
    "a step": OWN.format("pl.LightningModule", "training_step(self, batch, i)"),
    "a class of no framework": OWN.format("torch.nn.Module", "validation_epoch_end(self, outputs)"),
    "data": OWN.format("L.LightningDataModule", "training_epoch_end(self, outputs)"),
    "what the program calls itself": OWN.format("pl.LightningModule", "training_step_end(self, outputs)")
    + "Own().training_step_end(1)\n",
    "for an older one": OWN.format("pl.LightningModule", "test_epoch_end(self, outputs)")
    .replace("    def", "    if old:\n     def")
    .replace("        return", "         return"),
    "one that asks for the version": OWN.format("pl.LightningModule", "training_step_end(self, outputs)").replace(
        "        return", "        if pl.__version__[0] != '2':\n            return"
    ),
    "a function": "def validation_epoch_end(outputs):\n    return 0\n",
}


@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG)
def test_what_lightning_2_does_not_call_is_reported(body: str, program: Program) -> None:
    assert len(program(HEAD + body).findings(RULE)) == 1


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_it_calls_or_others_do_is_not_reported(body: str, program: Program) -> None:
    assert program(HEAD + body).findings(RULE) == []


@pytest.mark.parametrize(
    ("package", "below", "count"),
    [("pytorch_lightning", (2, 0), 0), ("pytorch_lightning", (2, 3), 1), ("lightning", (2, 0), 1)],
)
def test_the_package_that_is_imported_counts(package: str, below: Version, count: int, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(HEAD + WRONG["the end of an epoch"])
    project = Project(tmp_path, companions=[Required(package, None, below)])

    assert len(Checkout(tmp_path, project).findings(RULE)) == count
