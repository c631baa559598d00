"""Which clipping of gradients comes after the step that was to use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "clip-after-step"
CODE = """\
import torch
from torch import nn
def finish(model): print(model.weight.grad.norm())
def train(model, loader, scaler, other):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    others = torch.optim.SGD(other.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    for x in loader:
        {round}
"""
ZERO, BACK, STEP = "optimizer.zero_grad()", "model(x).mean().backward()", "optimizer.step()"
CLIP = "nn.utils.clip_grad_norm_(model.parameters(), 1.0)"
ROUNDS = {
    "zeroed first": ([ZERO, BACK, STEP, CLIP], True),
    "zeroed last": ([BACK, STEP, CLIP, ZERO], True),
    "by value": ([ZERO, BACK, STEP, "nn.utils.clip_grad_value_(model.parameters(), 1.0)"], True),
    "zeroed by the module": ([BACK, STEP, CLIP, "model.zero_grad()"], True),
    "with a scaler": ([ZERO, "scaler.scale(x).backward()", "scaler.step(optimizer)", "scaler.update()", CLIP], True),
    "after the scheduler": ([ZERO, BACK, STEP, "scheduler.step()", CLIP], True),
    "where a limit is given": ([ZERO, BACK, STEP, f"if scaler: {CLIP}"], True),
    "before": ([ZERO, BACK, CLIP, STEP], False),
    "after and before": ([BACK, STEP, CLIP, ZERO, BACK, CLIP, STEP, ZERO], True),
    "for its norm": ([ZERO, BACK, STEP, f"norm = {CLIP}"], False),
    "before another step": ([ZERO, BACK, STEP, CLIP, "others.step()"], False),
    "before another backward": ([ZERO, BACK, STEP, CLIP, BACK], False),
    "of others": ([BACK, STEP, CLIP.replace("model", "other"), "others.zero_grad()", "others.step()"], False),
    "in rounds that keep some": ([BACK, STEP, CLIP, f"if x: {ZERO}"], False),
    "read afterwards": ([ZERO, BACK, STEP, CLIP, "finish(model)"], False),
    "in another arm": ([ZERO, BACK, f"if x: {STEP}", f"else: {CLIP}"], False),
    "by a function of the project": ([ZERO, BACK, STEP, "clip(model.parameters(), 1.0)"], False),
}


@pytest.mark.parametrize(("statements", "is_found"), ROUNDS.values(), ids=ROUNDS)
def test_what_is_clipped_between_a_step_and_zeroing_is_late(
    program: Program, statements: list[str], is_found: bool
) -> None:
    assert len(program(CODE.format(round="\n        ".join(statements))).findings(RULE)) == is_found


def test_a_function_that_is_called_with_each_round_counts_as_one(program: Program) -> None:
    checkout = program(f"""\
        import torch
        from torch import nn
        def update(model, optimizer, x):
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
            {CLIP}
        """)

    assert checkout.reported(RULE) == [CLIP]
