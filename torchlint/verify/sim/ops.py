"""PyTorch's operations by name; those that a version of PyTorch lacks are left out."""

from __future__ import annotations

from collections.abc import Iterable

import torch


def named(*names: str) -> frozenset[object]:
    """Return the operations `name.overload` of this PyTorch."""
    return frozenset(found(names).values())


def found(names: Iterable[str]) -> dict[str, object]:
    """Return the operations of this PyTorch by their names."""
    operations = {}
    for name in names:
        packet, _, overload = name.partition(".")
        operation = getattr(getattr(torch.ops.aten, packet, None), overload, None)
        if operation is not None:
            operations[name] = operation
    return operations
