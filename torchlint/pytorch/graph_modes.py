"""With which options `torch.compile` runs CUDA graphs, whose outputs are in memory that the next run writes to.

https://docs.pytorch.org/docs/stable/torch.compiler_cudagraph_trees.html, and `torch._inductor.list_mode_options()` of
torch 2.13.0.
"""

from __future__ import annotations

GRAPH_MODES = frozenset({"reduce-overhead", "max-autotune"})
"""The values of `mode`."""

GRAPH_OPTION = "triton.cudagraphs"
"""The key of `options`."""

MARK_STEP = "cudagraph_mark_step_begin"
"""What a program calls to say that it needs the outputs of the last run no longer."""

SCRIPTING = frozenset({"torch.jit.script", "torch.jit.script_method"})
"""Decorators that compile a function by TorchScript, which calls what `torch.compile` was given, and not the result."""
