"""What modules return in containers and objects is on their device: asked of a machine with CUDA."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Device, Tensor
from torchlint.model.worlds import WITH_CUDA

Program: TypeAlias = Callable[[str], Checkout]

_CODE = """\
from dataclasses import dataclass
import torch
from torch import nn

@dataclass
class Output:
    scores: torch.Tensor

class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
    def forward(self, x):
        return {returned}

module = {module}
output = module({input})
print({read})  # here
"""
RETURNED = {
    "in a list": ("[self.layer(x), x]", "output[0]"),
    "in a dict": ('{"scores": self.layer(x)}', 'output["scores"]'),
    "in an object": ("Output(self.layer(x))", "output.scores"),
    "in a dict in a tuple": ('(x, {"scores": self.layer(x)})', 'output[1]["scores"]'),
}
MODULES: dict[str, tuple[str, str, set[Device | None]]] = {
    "on the GPU": ('Heads().to("cuda")', 'torch.ones(2, 4, device="cuda")', {Device("cuda")}),
    "never moved": ("Heads()", "torch.ones(2, 4)", {None}),
    "never moved, of unknown inputs": ("Heads()", "read()", {None}),
    "in a wrapper": ("nn.DataParallel(Heads().cuda())", "torch.ones(2, 4)", {None, Device("cuda")}),
    "in a wrapper of processes": (
        "nn.parallel.DistributedDataParallel(Heads().cuda())",
        "torch.ones(2, 4).cuda()",
        {None, Device("cuda")},
    ),
}


@pytest.mark.parametrize(("returned", "read"), RETURNED.values(), ids=RETURNED)
@pytest.mark.parametrize(("module", "given", "devices"), MODULES.values(), ids=MODULES)
def test_what_a_module_returns_is_where_the_module_is(
    program: Program, returned: str, read: str, module: str, given: str, devices: set[Device | None]
) -> None:
    text = _CODE.replace("{returned}", returned).replace("{module}", module).replace("{input}", given)
    place = program(text.replace("{read}", read)).place(read, mark="here")

    found = place.file.project.evaluator(WITH_CUDA).evaluate(place)

    assert {one.value.device for one in found if isinstance(one.value, Tensor)} <= devices
    assert found
    # They are kept in tables.
    assert len(set(found)) == len(found)
