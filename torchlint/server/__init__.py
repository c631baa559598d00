"""A server of the Language Server Protocol: lints the open files of an editor in their current state.

What is imported here needs no library; the rest needs `torchlint[lsp]`.
"""

from torchlint.server.plan import Planned, Planner

__all__ = ["Planned", "Planner"]
