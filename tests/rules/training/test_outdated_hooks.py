"""Which methods of a Trainer raise when it calls them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import Project
from torchlint.pytorch.requirements import Required, Version

Program: TypeAlias = Callable[[str], Checkout]
RULE = "outdated-trainer-hook"
HEAD = (
    "import torch\nimport transformers\nfrom transformers import Seq2SeqTrainer, Trainer\nfrom trl import SFTTrainer\n"
)
OWN = "class Own({}):\n    def {}:\n        return 0\n"
LOSS = OWN.format("Trainer", "compute_loss(self, model, inputs, return_outputs=False)")
WRONG = {
    "a loss": LOSS,
    "a loss without outputs": OWN.format("Trainer", "compute_loss(self, model, inputs)"),
    "a loss with types": OWN.format("Trainer", "compute_loss(self, model: object, inputs: dict) -> object"),
    "a loss of more positions": OWN.format("Trainer", "compute_loss(self, model, inputs, *args)"),
    "a step": OWN.format("Trainer", "training_step(self, model, inputs)"),
    "a log": OWN.format("Trainer", "log(self, logs)"),
    "by the package": OWN.format("transformers.Trainer", "compute_loss(self, model, inputs)"),
    "of sequences": OWN.format("Seq2SeqTrainer", "compute_loss(self, model, inputs)"),
    "of trl": OWN.format("SFTTrainer", "compute_loss(self, model, inputs)"),
    "of a class in between": "class Base(Trainer):\n    pass\n"
    + OWN.format("Base", "compute_loss(self, model, inputs)"),
    "with a step that goes on": LOSS
    + "    def training_step(self, *args):\n        return super().training_step(*args)\n",
}
RIGHT = {
    "a loss": OWN.format("Trainer", "compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None)"),
    "a loss with words": OWN.format("Trainer", "compute_loss(self, model, inputs, **kwargs)"),
    "a loss by a name alone": OWN.format("Trainer", "compute_loss(self, model, inputs, *, num_items_in_batch)"),
    "a step": OWN.format("Trainer", "training_step(self, model, inputs, items=None)"),
    "a step with more": OWN.format("Trainer", "training_step(self, *args)"),
    "a log": OWN.format("Trainer", "log(self, logs, start_time=None)"),
    "with a step of its own": LOSS
    + "    def training_step(self, model, inputs, items):\n        return self.compute_loss(model, inputs)\n",
    "with a loop of its own": LOSS + "    def train(self):\n        return self.compute_loss(self.model, {})\n",
    "which is overridden": LOSS + OWN.replace("Own", "Final").format("Own", "compute_loss(self, *args, **kwargs)"),
    "of another trainer": "class Trainer:\n    pass\n" + LOSS,
    "of no trainer": OWN.format("object", "compute_loss(self, model, inputs)"),
    "as a function": "def compute_loss(model, inputs):\n    return 0\n",
    "what is decorated": LOSS.replace("    def", "    @make\n    def"),
    "in one version alone": LOSS.replace("    def", "    if old:\n     def").replace(
        "        return", "         return"
    ),
}


@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG)
def test_what_takes_less_than_it_is_passed_is_reported(body: str, program: Program) -> None:
    assert len(program(HEAD + body).findings(RULE)) == 1


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_takes_it_or_is_not_called_is_not_reported(body: str, program: Program) -> None:
    assert program(HEAD + body).findings(RULE) == []


@pytest.mark.parametrize(
    ("below", "count"), [(None, 2), ((5, 0), 2), ((4, 47), 1), ((4, 46), 0)], ids=["any", "4", "4.46", "4.45"]
)
def test_the_versions_that_are_required_count(below: Version | None, count: int, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(
        HEAD + WRONG["a log"] + "    def compute_loss(self, model, inputs):\n        return 0\n"
    )
    project = Project(tmp_path, companions=[Required("transformers", None, below)])

    assert len(Checkout(tmp_path, project).findings(RULE)) == count


@pytest.mark.parametrize(
    ("parameters", "edit"),
    [
        ("self, model, inputs", ", num_items_in_batch=None"),
        ("self, model, inputs, return_outputs=False", ", num_items_in_batch=None"),
        ("self, model, inputs: dict", ", num_items_in_batch=None"),
        ("self, model, inputs, *rest", ""),
    ],
)
def test_a_fix_adds_the_parameter_behind_plain_ones(parameters: str, edit: str, program: Program) -> None:
    (finding,) = program(HEAD + OWN.format("Trainer", f"compute_loss({parameters})")).findings(RULE)

    assert "".join(one.text for one in (finding.fix.edits if finding.fix else ())) == edit
