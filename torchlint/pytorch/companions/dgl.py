"""DGL: graphs whose nodes and edges have tensors as features."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

COMPANION = Companion("dgl", "https://docs.dgl.ai/api/python/dgl.DGLGraph.html")
COUNTING = frozenset({"num_edges", "number_of_edges", "num_nodes", "number_of_nodes", "num_dst_nodes", "num_src_nodes"})
"""Methods that return how much there is in a graph, as those of networkx and PyTorch Geometric do."""
