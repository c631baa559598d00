"""Calls that mean the same as a deprecated or removed one, for some of its arguments.

Each is run beside the old one on random input by the tests, where torch 2.13 still has that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Equivalent:
    """The function to call instead, and with which arguments it does the same."""

    name: str
    positional: int = 0
    """How many arguments the old function may be given by position."""
    keywords: frozenset[str] = frozenset()
    """The arguments that it may be given by name, and that have the same name."""
    options: Mapping[tuple[str, bool], str] = field(default_factory=dict, hash=False)
    """What a constant argument is written as: `some=False` is `mode="complete"`."""
    required: frozenset[str] = frozenset()
    """The arguments without which it does something else."""
    takes_list: bool = False
    """It takes all arguments as one list."""


_OUT = frozenset({"out"})
_ANY = 64

EQUIVALENTS: dict[str, Equivalent] = {
    "torch.cholesky": Equivalent("torch.linalg.cholesky", 1, _OUT | {"upper"}),
    "torch.qr": Equivalent("torch.linalg.qr", 1, _OUT, {("some", False): 'mode="complete"'}),
    "torch.ger": Equivalent("torch.outer", 2, _OUT),
    "torch.chain_matmul": Equivalent("torch.linalg.multi_dot", _ANY, _OUT, takes_list=True),
    # It reads the upper triangle, and `eigh` the lower one. Without eigenvectors it returns an empty tensor.
    "torch.symeig": Equivalent(
        "torch.linalg.eigh",
        1,
        options={("eigenvectors", True): 'UPLO="U"'},
        required=frozenset({"eigenvectors"}),
    ),
}
"""What does the same, by the full name of the old function."""
