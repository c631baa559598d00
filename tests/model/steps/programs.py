"""What programs about training steps start with, and what is asked of them."""

from __future__ import annotations

from textwrap import dedent

from tests.checkout import Checkout, every_step

HEAD = """\
import torch
from torch import nn
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader([])
"""


def in_program(code: str) -> str:
    """Return code with a model, an optimizer and a loader above it."""
    return HEAD + dedent(code)


def reads_every_step(checkout: Checkout) -> bool:
    """Tell whether the only `loss.item()` of a program runs with every training step."""
    return every_step(checkout.place("loss.item()")) is not None
