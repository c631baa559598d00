"""PyTorch Geometric: loaders that yield graphs, whose `to`, `cuda` and `cpu` move them in place and return them."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion(
    "torch_geometric",
    "torch_geometric 2.8.1",
    classes={
        Role.GRAPH_LOADER: "DataLoader DenseDataLoader",
    },
)
