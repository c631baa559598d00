"""A server of the Language Server Protocol: lints what is open in an editor, as it is there.

What is imported here needs no library; the rest needs `torchlint[lsp]`.
"""

from torchlint.server.plan import Planned, Planner

__all__ = ["Planned", "Planner"]
