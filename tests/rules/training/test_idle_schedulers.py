"""Which schedulers of a LightningModule nobody steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "idle-lightning-scheduler"
MODULE = """\
import lightning as L
import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR
class Manual({base}):
    {manual}
    def training_step(self, batch, i):
        {step}
    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        {returned}
{more}
"""
SAID = "def __init__(self):\n        super().__init__()\n        self.automatic_optimization = {}"
PLAIN = {
    "base": "L.LightningModule",
    "manual": SAID.format("False"),
    "step": "self.optimizers().step()",
    "returned": "return [optimizer], [StepLR(optimizer, 1)]",
    "more": "",
}
WRONG = {
    "in lists": {},
    "in a dict": {"returned": 'return {"optimizer": optimizer, "lr_scheduler": StepLR(optimizer, 1)}'},
    "by a name": {"returned": "scheduler = StepLR(optimizer, 1)\n        return [optimizer], [scheduler]"},
    "by a metric": {"returned": "return [optimizer], [ReduceLROnPlateau(optimizer)]"},
    "by a property": {"manual": "@property\n    def automatic_optimization(self):\n        return False"},
}
RIGHT = {
    "stepped": {"step": "self.lr_schedulers().step()"},
    "stepped by itself": {"step": "self.scheduler.step()"},
    "stepped by a callback": {
        "more": "class Stepping(L.Callback):\n    def on_train_epoch_end(self, t, m):\n        m.lr_schedulers().step()"
    },
    "stepped by a class below": {"more": "class Below(Manual):\n    def go(self):\n        self.schedulers[0].step()"},
    "automatic": {"manual": SAID.format("True")},
    "as it may be": {"manual": SAID.format("bool(make())")},
    "under a test": {
        "manual": SAID.format("True\n        if make():\n            self.automatic_optimization = False")
    },
    "no scheduler": {"returned": "return optimizer"},
    "no lightning": {"base": "torch.nn.Module"},
}


@pytest.mark.parametrize("parts", WRONG.values(), ids=WRONG)
def test_what_manual_optimization_never_steps_is_reported(parts: dict[str, str], program: Program) -> None:
    assert len(program(MODULE.format(**{**PLAIN, **parts})).findings(RULE)) == 1


@pytest.mark.parametrize("parts", RIGHT.values(), ids=RIGHT)
def test_what_is_stepped_or_may_be_is_not_reported(parts: dict[str, str], program: Program) -> None:
    assert program(MODULE.format(**{**PLAIN, **parts})).findings(RULE) == []
