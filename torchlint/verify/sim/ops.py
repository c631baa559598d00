"""PyTorch's operations by name; what a version of PyTorch lacks is left out."""

from __future__ import annotations

from collections.abc import Iterable

import torch


def named(*names: str) -> frozenset[object]:
    """Return the operations `name.overload` that this PyTorch has."""
    return frozenset(found(names).values())


def found(names: Iterable[str]) -> dict[str, object]:
    """Return the operations that this PyTorch has by their names."""
    operations = {}
    for name in names:
        packet, _, overload = name.partition(".")
        operation = getattr(getattr(torch.ops.aten, packet, None), overload, None)
        if operation is not None:
            operations[name] = operation
    return operations
