"""What a value says of the graph that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Tensor

if TYPE_CHECKING:
    from torchlint.model.values.value_sets import ValueSet


def has_graph(possible: ValueSet) -> bool:
    """Tell whether a value may be a tensor that is known to have a graph."""
    return any(isinstance(one.value, Tensor) and one.value.graph is True for one in possible)
