"""Which checkpoints mark the parameters of a module under DistributedDataParallel twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
HEAD = """\
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint
class Net(nn.Module):
    def __init__(self, deep=False):
        super().__init__()
        self.deep, self.stem, self.part, self.flat = deep, nn.Linear(4, 4), nn.Linear(4, 4), nn.Flatten()
"""
SEARCHED = "DDP(Net(), find_unused_parameters=True)"
STEM = "x = self.stem(x)"
CHECKPOINTED = "x = checkpoint(self.part, x)"
USED = {
    "always": ([STEM, CHECKPOINTED], SEARCHED, 1),
    "by a choice": ([STEM, "x = checkpoint(self.part, x, use_reentrant=True)"], SEARCHED, 1),
    "by hooks": ([STEM, "x = checkpoint(self.part, x, use_reentrant=False)"], SEARCHED, 0),
    "by what is not known": ([STEM, "x = checkpoint(self.part, x, **self.more)"], SEARCHED, 0),
    "by an option that is off": ([STEM, "if self.deep:", f"    {CHECKPOINTED}"], SEARCHED, 0),
    "in training": ([STEM, "if self.training:", f"    {CHECKPOINTED}"], SEARCHED, 1),
    "with an input without a gradient": ([CHECKPOINTED], SEARCHED, 0),
    "without parameters": ([STEM, "x = checkpoint(self.flat, x)"], SEARCHED, 0),
    "without a search": ([STEM, CHECKPOINTED], "DDP(Net())", 0),
    "twice without a search": ([STEM, CHECKPOINTED, CHECKPOINTED], "DDP(Net())", 2),
    "with a static graph": ([STEM, CHECKPOINTED], "DDP(Net(), find_unused_parameters=True, static_graph=True)", 0),
    "with an option of the program": ([STEM, CHECKPOINTED], "DDP(Net(), find_unused_parameters=args.find)", 0),
    "without a wrapper": ([STEM, CHECKPOINTED], "Net()", 0),
}


@pytest.mark.parametrize(("lines", "made", "count"), USED.values(), ids=USED)
def test_checkpoints_that_are_ready_twice_are_found(program: Program, lines: list[str], made: str, count: int) -> None:
    body = "".join(f"        {line}\n" for line in lines)
    code = f"{HEAD}    def forward(self, x):\n{body}        return x.sum()\nmodel = {made}\n"

    assert len(program(code).findings("reentrant-checkpoint-under-ddp")) == count
