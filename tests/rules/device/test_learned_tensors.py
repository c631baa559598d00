"""What a module keeps of tensors that are to be learned: the advice is a parameter, and no fix makes them buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "unregistered-tensor"
CODE = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.kept = {kept}
    def forward(self, x):
        return self.layer(x) * {used}
model = Net().cuda()
model(torch.ones(1, 3).cuda())
"""
KEPT = {
    "one": ("torch.ones(3, requires_grad=True)", "self.kept", True),
    "from numbers": ("torch.tensor([1.0, 2.0, 3.0], requires_grad=True)", "self.kept", True),
    "in a list": ("[torch.ones(3, requires_grad=True), torch.zeros(3)]", "self.kept[0]", True),
    "in a dict": ("{'a': torch.ones(3, requires_grad=True)}", "self.kept['a']", True),
    "a constant": ("torch.ones(3)", "self.kept", False),
    "one that is not": ("torch.ones(3, requires_grad=False)", "self.kept", False),
}


@pytest.mark.parametrize(("kept", "used", "is_learned"), KEPT.values(), ids=KEPT)
def test_a_tensor_that_is_to_be_learned_becomes_a_parameter(
    program: Program, kept: str, used: str, is_learned: bool
) -> None:
    (found,) = program(CODE.format(kept=kept, used=used)).findings(RULE)

    assert ("nn.Parameter" in found.message) == is_learned
    assert found.fix is None or not is_learned
