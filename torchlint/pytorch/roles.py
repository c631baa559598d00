"""The roles in training that classes of PyTorch and its companions play."""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """What an object of a class is used for; everything with a role has the methods of PyTorch's own."""

    OPTIMIZER = "optimizer"
    """Is made of parameters; `step()` changes them by their gradients, `zero_grad()` clears these."""
    SCHEDULER = "scheduler"
    """Is made of an optimizer; `step()` changes its learning rate."""
    METRIC_SCHEDULER = "scheduler that goes by a metric"
    """The same, by the argument of `step(metric)`."""
    LOADER = "loader"
    """Is made of a data set, with the arguments of `DataLoader`, and yields batches of tensors."""
    GRAPH_LOADER = "loader of graphs"
    """Is made of a data set, and yields graphs, which hold tensors."""
    SCALER = "gradient scaler"
    """Has `scale(loss)`, `unscale_(optimizer)`, `step(optimizer)` and `update()`."""
