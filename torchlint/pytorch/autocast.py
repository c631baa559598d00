"""Mixed precision: autocast, and the names of `torch.amp` that were of one kind of device before.

Checked on torch 2.13.
"""

from __future__ import annotations

BY_DEVICE = frozenset({"torch.autocast", "torch.amp.autocast"})
"""Takes the kind of device first."""
OF_CUDA = frozenset({"torch.cuda.amp.autocast"})
SWITCHING = ("set_autocast_enabled", "set_autocast_gpu", "set_autocast_cpu_enabled", "autocast_mode")
"""The names that switch it without a `with` statement: `torch.set_autocast_enabled("cuda", True)`."""
SPACE = "torch.amp"
SINCE = {"autocast": (1, 10), "GradScaler": (2, 3), "custom_fwd": (2, 4), "custom_bwd": (2, 4)}
"""The first torch with each of these in `torch.amp`: https://github.com/pytorch/pytorch/releases. Since 2.4 those of
`torch.cuda.amp` and `torch.cpu.amp` warn."""
DEVICE_FIRST = frozenset({"autocast", "GradScaler"})
"""Those that take the kind of device as their first argument; the others take it by name."""
POSITIONS = ("enabled", "dtype", "cache_enabled")
"""The positional parameters of `torch.cuda.amp.autocast`; `torch.amp.autocast` has another order."""
