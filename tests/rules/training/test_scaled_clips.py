"""Which clipping of gradients has the scale of a gradient scaler still in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "clip-scaled-gradients"
CLIP = "nn.utils.clip_grad_norm_(model.parameters(), 1.0)"
STEP = f"scaler.scale(loss).backward()\n    {CLIP}\n    scaler.step(optimizer)"
CODE = """\
import torch
from torch import nn
{made}
def train(model, loss, optimizer, scaler=scaler):
    {step}
"""
SCALERS = {
    "of torch.amp": ("scaler = torch.amp.GradScaler('cuda')", True),
    "of torch": ("scaler = torch.GradScaler()", True),
    "of torch.cuda.amp": ("from torch.cuda.amp import GradScaler\nscaler = GradScaler()", True),
    "by an option": ("scaler = torch.amp.GradScaler('cuda', enabled=args.amp)", True),
    "nobody knows": ("scaler = make()", True),
    "switched off": ("scaler = torch.amp.GradScaler('cuda', enabled=False)", False),
    "of the project": ("class Scaler:\n    def scale(self, x): return x\nscaler = Scaler()", False),
}
STEPS = {
    "by value": (STEP.replace("clip_grad_norm_", "clip_grad_value_"), True),
    "the scaled loss has a name": (STEP.replace("scaler.scale(loss)", "x = scaler.scale(loss)\n    x"), True),
    "where a limit is given": (STEP.replace("nn.utils", "if limit: nn.utils"), True),
    "unscaled first": (STEP.replace("nn.utils", "scaler.unscale_(optimizer)\n    nn.utils"), False),
    "unscaled where clipped": (
        STEP.replace("nn.utils", "if limit:\n        scaler.unscale_(optimizer)\n        nn.utils"),
        False,
    ),
    "after the step": (f"scaler.scale(loss).backward()\n    scaler.step(optimizer)\n    {CLIP}", False),
    "before anything is scaled": (f"{CLIP}\n    scaler.scale(loss).backward()\n    scaler.step(optimizer)", False),
    "the optimizer steps by itself": (STEP.replace("scaler.step(optimizer)", "optimizer.step()"), False),
    "in the other arm": (
        f"if amp: scaler.scale(loss).backward()\n    if not amp:\n        loss.backward()\n        {CLIP}\n"
        "    if amp: scaler.step(optimizer)",
        False,
    ),
    "by a function of the project": (STEP.replace("nn.utils.clip_grad_norm_", "clip"), False),
}


@pytest.mark.parametrize(("made", "is_found"), SCALERS.values(), ids=SCALERS)
def test_a_scaler_that_scales_is_told_from_others(program: Program, made: str, is_found: bool) -> None:
    found = program(CODE.format(made=made, step=STEP)).reported(RULE)

    assert found == ([CLIP] if is_found else [])


@pytest.mark.parametrize(("step", "is_found"), STEPS.values(), ids=STEPS)
def test_what_is_clipped_between_scaling_and_unscaling_is_scaled(program: Program, step: str, is_found: bool) -> None:
    made = "scaler = torch.amp.GradScaler('cuda')"

    assert len(program(CODE.format(made=made, step=step)).findings(RULE)) == is_found
