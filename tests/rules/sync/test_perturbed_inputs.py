"""A loop that perturbs an input, as FGSM and PGD do, is one computation: what it reads is best read after it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

_PROGRAM = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def attack(model, x, y, alpha):
    x, y = x.to(device), y.to(device)
    changed = x.clone().detach().requires_grad_(True)
    optimizer = torch.optim.SGD([changed], lr=alpha)
    total = 0
    for i in range(10):
        loss = nn.functional.cross_entropy(model(changed), y)
        loss.backward()
        {move}
        {read}

attack(nn.Linear(4, 2).to(device), torch.rand(8, 4), torch.zeros(8).long(), 0.1)
"""
_SIGNS = "changed = (changed + alpha * changed.grad.sign()).detach().requires_grad_(True)"
_STEPS = "optimizer.step(); optimizer.zero_grad()"


READS = {
    "a value": ("item-in-training-loop", "print(i, loss.item())", "keep it on the GPU, or read it"),
    "a sum": ("item-in-training-loop", "total += loss.item()", "accumulate detached tensors and read the sum"),
    "a line": ("tensor-print-in-training-loop", "print(loss)", "print it"),
    "a copy": ("host-copy-in-training-loop", "print(changed.detach().cpu().shape)", "keep it on the GPU, or copy it"),
}


@pytest.mark.parametrize(("rule", "read", "advice"), READS.values(), ids=READS)
@pytest.mark.parametrize(("move", "when"), [(_SIGNS, "after the loop"), (_STEPS, "every N steps")])
def test_what_is_read_of_a_perturbation_is_read_after_it(
    move: str, when: str, rule: str, read: str, advice: str, program: Callable[[str], Checkout]
) -> None:
    (found,) = program(_PROGRAM.format(move=move, read=read)).findings(rule)

    assert found.message.endswith(f"; {advice} {when}")
    assert found.cause is not None
    assert found.cause.advice == f"read and log {when}"
