"""The class of an object by how a function uses it: the methods of one class of PyTorch alone.

Checked on torch 2.13: each of the methods is one of the class, and of no other class of this table.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Contract(NamedTuple):
    """How an object of a class is used: `needs` all of some methods, and `any_of` others if there are any."""

    name: str
    needs: frozenset[str] = frozenset()
    any_of: frozenset[str] = frozenset()
    is_called: bool = False
    """Whether it is called itself as well: `model(x)`."""
    word: re.Pattern[str] | None = None
    """The usual names of the object, if its methods alone are not enough."""


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
"""The first one that is fulfilled holds."""
