"""What an object has to be for a function to do with it what it does: the methods of one class of PyTorch alone.

Checked on torch 2.13: each of the methods is one of the class, and of no other class of this table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Contract:
    """What is done with an object of a class: `needs` all of some methods, and `any_of` others where there are any."""

    name: str
    needs: frozenset[str] = frozenset()
    any_of: frozenset[str] = frozenset()
    is_called: bool = False
    """Whether it is called itself as well: `model(x)`."""
    word: re.Pattern[str] | None = None
    """What it is called by, where its methods alone would not tell."""


_OPTIMIZER = re.compile(r"(\w+_)?(opt|optims?|optimi[sz]ers?)(_\w+)?", re.IGNORECASE)

CONTRACTS = (
    Contract("torch.optim.Optimizer", needs=frozenset({"step", "zero_grad"})),
    Contract("torch.optim.Optimizer", needs=frozenset({"step"}), word=_OPTIMIZER),
    Contract(
        "torch.nn.Module",
        any_of=frozenset({"eval", "named_parameters", "parameters", "requires_grad_", "train"}),
        is_called=True,
    ),
)
"""The first one that is kept to holds."""
