"""Programs that only go on with CUDA, as the constructor of an object raises without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "hardcoded-cuda"
CODE = """\
import torch
import torch.distributed as dist
from torch import nn
class Base:
    def __init__(self):
        {base}
class Strategy(Base):
    def __init__(self, backend="nccl"):
        super().__init__()
        {own}
class Trainer:
    def __init__(self, model): self.model = model
    def fit(self, x): return self.model(x.to("cuda"))
def main():
    {first}
    trainer = Trainer(nn.Linear(4, 2).to(torch.cuda.current_device()))
    trainer.fit(torch.randn(2, 4))
main()
"""
NCCL = 'dist.init_process_group("nccl")'


def code(first: str = "strategy = Strategy()", own: str = "pass", base: str = "pass") -> str:
    return CODE.format(first=first, own=own, base=base)


@pytest.mark.parametrize(
    "source",
    [
        code(own=NCCL),
        code(base=NCCL),
        code(first="Strategy()", own=NCCL),
        code(own='assert torch.cuda.is_available(), "needs a GPU"'),
    ],
)
def test_what_follows_a_constructor_that_raises_is_not_reported(program: Program, source: str) -> None:
    assert program(source).reported(RULE) == []


@pytest.mark.parametrize(
    "source",
    [
        code(),
        code(own='dist.init_process_group("gloo")'),
        code(own=f"if backend is None: {NCCL}"),
        code(first="pass", own=NCCL),
        code(first="if torch.cuda.device_count() > 1: Strategy()", own=NCCL),
    ],
)
def test_one_that_returns_without_cuda_guards_nothing(program: Program, source: str) -> None:
    assert len(program(source).reported(RULE)) == 2
