"""Which `backward()` goes past the library that has taken the module over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import Project
from torchlint.pytorch.requirements import Required, Version

Program: TypeAlias = Callable[[str], Checkout]
RULE = "bypassed-backward"
HEAD = """\
import deepspeed
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from lightning.fabric import Fabric
from torch import nn
accelerator, fabric = Accelerator(), Fabric()
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters())
x, y = torch.ones(3, 2), torch.ones(3, 2)
"""
PREPARE = "model, optimizer = accelerator.prepare(model, optimizer)\n"
LOOP = "for _ in range(3):\n    {}\n    optimizer.step()\n"
TAKEN = {
    "by accelerate": PREPARE,
    "by accelerate, alone": "model = accelerator.prepare(model)\n",
    "by accelerate, for a model": "model = accelerator.prepare_model(model)\n",
    "by accelerate, into a tuple": "both = accelerator.prepare(model, optimizer)\nmodel = both[0]\n",
    "by the engine": "model, optimizer, _, _ = deepspeed.initialize(model=model, optimizer=optimizer)\n",
    "by the engine, first of all": "model = deepspeed.initialize(model=model, optimizer=optimizer)[0]\n",
    "by fabric": "model, optimizer = fabric.setup(model, optimizer)\n",
    "by fabric, alone": "model = fabric.setup(model)\n",
    "by fabric, for a module": "model = fabric.setup_module(model)\n",
}
LOSSES = {
    "of a function": "loss = F.mse_loss(model(x), y)\n    loss.backward()",
    "of a criterion": "loss = nn.MSELoss()(model(x), y)\n    loss.backward()",
    "of the module": "loss = model(x, labels=y).loss\n    loss.backward()",
    "of the module by a key": "loss = model(x, labels=y)['loss']\n    loss.backward()",
    "of the module, first of several": "loss, _ = model(x, y)\n    loss.backward()",
    "summed": "loss = F.mse_loss(model(x), y)\n    loss = loss + 0.1 * model(y).mean()\n    loss.backward()",
    "divided": "loss = F.mse_loss(model(x), y)\n    (loss / 4).backward()",
    "at once": "F.mse_loss(model(x), y).backward()",
    "with words": "loss = F.mse_loss(model(x), y)\n    loss.backward(retain_graph=True)",
    "of a function of the program": "loss = loss_of(model)\n    loss.backward()",
}
OF = "def loss_of(net):\n    return F.mse_loss(net(x), y)\n"
RIGHT = {
    "by accelerate": PREPARE + LOOP.format("accelerator.backward(F.mse_loss(model(x), y))"),
    "by the engine": TAKEN["by the engine"] + LOOP.format("model.backward(F.mse_loss(model(x), y))"),
    "by fabric": TAKEN["by fabric"] + LOOP.format("fabric.backward(F.mse_loss(model(x), y))"),
    "scaled by the engine": TAKEN["by the engine"] + LOOP.format("model.scale(F.mse_loss(model(x), y)).backward()"),
    "scaled": PREPARE + "scaler = torch.amp.GradScaler()\n" + LOOP.format("scaler.scale(model(x).mean()).backward()"),
    "before": LOOP.format("F.mse_loss(model(x), y).backward()") + PREPARE,
    "of another module": PREPARE + "other = nn.Linear(2, 2)\n" + LOOP.format("other(x).mean().backward()"),
    "only the optimizer": "optimizer = accelerator.prepare(optimizer)\n" + LOOP.format("model(x).mean().backward()"),
    "kept in evaluation": PREPARE
    + "head = nn.Linear(2, 1)\n"
    + LOOP.format("with torch.no_grad():\n        z = model(x)\n    head(z).mean().backward()"),
    "detached": PREPARE + "head = nn.Linear(2, 1)\n" + LOOP.format("head(model(x).detach()).mean().backward()"),
    "where it may be prepared": f"import sys\nif sys.argv[1:]:\n    {PREPARE}"
    + LOOP.format("model(x).mean().backward()"),
    "where the test says so": PREPARE
    + "use_accelerate = not fabric\n"
    + LOOP.format("if not use_accelerate:\n        model(x).mean().backward()"),
    "where the other arm goes back": PREPARE
    + "import sys\n"
    + LOOP.format(
        "loss = model(x).mean()\n    if sys.argv[1:]:\n        accelerator.backward(loss)\n"
        "    else:\n        loss.backward()"
    ),
    "where others give a plain module": OF
    + "def train(net):\n    for _ in range(3):\n        loss_of(net).backward()\n"
    + "train(nn.Linear(2, 2))\n"
    + PREPARE
    + "loss_of(model)\n",
    "of another accelerator": "class Accelerator:\n    def prepare(self, *given):\n        return given\n"
    "accelerator = Accelerator()\n" + PREPARE + LOOP.format("model(x).mean().backward()"),
    "of anything": "accelerator = make()\n" + PREPARE + LOOP.format("model(x).mean().backward()"),
}
ADVICE = {
    "by its name": (PREPARE + LOOP.format("model(x).mean().backward()"), "accelerator.backward(model(x).mean())"),
    "with words": (
        PREPARE + LOOP.format("model(x).mean().backward(retain_graph=True)"),
        "accelerator.backward(model(x).mean(), retain_graph=True)",
    ),
    "of the engine": (
        TAKEN["by the engine"] + LOOP.format("model(x).mean().backward()"),
        "model.backward(model(x).mean())",
    ),
    "of a parameter": (
        "def train(acc, net):\n    for _ in range(3):\n        with acc.accumulate(net):\n"
        "            net(x).mean().backward()\n" + PREPARE + "train(accelerator, model)\n",
        "acc.backward(net(x).mean())",
    ),
    "of nobody in view": (
        "def train(net):\n    for _ in range(3):\n        net(x).mean().backward()\n" + PREPARE + "train(model)\n",
        None,
    ),
}


@pytest.mark.parametrize("takeover", TAKEN.values(), ids=TAKEN)
def test_whoever_takes_a_module_over_goes_back(takeover: str, program: Program) -> None:
    body = HEAD + takeover + LOOP.format(LOSSES["of a function"])

    assert program(body).reported(RULE) == ["loss.backward()"]


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_a_loss_is_one_however_it_is_computed(loss: str, program: Program) -> None:
    assert len(program(HEAD + OF + PREPARE + LOOP.format(loss)).reported(RULE)) == 1


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT)
def test_what_goes_back_right_or_may_is_not_reported(body: str, program: Program) -> None:
    assert program(HEAD + body).reported(RULE) == []


@pytest.mark.parametrize(("oldest", "count"), [((0, 14), 1), ((0, 19), 0)])
def test_hooks_of_a_version_that_is_required_do_the_same(oldest: Version, count: int, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(HEAD + TAKEN["by the engine"] + LOOP.format(LOSSES["at once"]))
    project = Project(tmp_path, companions=[Required("deepspeed", oldest)])

    assert len(Checkout(tmp_path, project).reported(RULE)) == count


@pytest.mark.parametrize(("body", "call"), ADVICE.values(), ids=ADVICE)
def test_a_fix_calls_who_took_over_by_a_name_that_is_in_view(body: str, call: str | None, program: Program) -> None:
    (finding,) = program(HEAD + body).findings(RULE)

    assert [edit.text for edit in (finding.fix.edits if finding.fix else ())] == ([call] if call else [])
