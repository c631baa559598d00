"""Whether two tensors come from one call of a module, by the same part of its computation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.values.tabled import tabled

from .autograd_graph import Part, graph_at, is_of_torch, returned_by

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def are_one(ev: Evaluator, one: Part, other: Part) -> bool:
    """Tell whether two tensors come from one call of a module, by the same part of its computation."""
    if one.call != other.call:
        return False
    # Everything that a recurrent layer of PyTorch returns is computed by one operation.
    return (
        one.selector == other.selector
        or is_of_torch(ev, one.call)
        or any(_share(ev, returned, one, other) for returned in returned_by(ev, one.call))
    )


@tabled(False)
def _share(ev: Evaluator, returned: Place, one: Part, other: Part) -> bool:
    """Tell whether two parts of a function's result are surely computed by one call of a module."""
    here, there = (graph_at(ev, returned, part.selector).parts for part in (one, other))
    return any(are_one(ev, mine, theirs) for mine in here for theirs in there)
