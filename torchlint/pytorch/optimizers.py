"""How the optimizers of PyTorch depend on the size of the gradients. Checked on torch 2.13."""

from __future__ import annotations

FOLLOWS_SCALE = frozenset({"torch.optim.SGD", "torch.optim.ASGD"})
"""Those whose step is n times as long if the gradients are n times as large; `Adam` and the like normalize them."""
STATE_BY = {"torch.optim.SGD": ("momentum", 2)}
"""Those that keep a state from step to step only if an argument is not 0, with its name and position."""
RESTARTED = frozenset({"torch.optim.LBFGS"})
"""Those whose state is of one problem, and is dropped on purpose."""
