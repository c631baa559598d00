"""State dicts: what loads them as the method `load_state_dict` does, and whose hold numbers alone."""

import re

from torchlint.pytorch.roles import Role

FILLING_STATE = frozenset({
    "set_model_state_dict", "set_optimizer_state_dict", "set_peft_model_state_dict", "set_state_dict",
})  # fmt: skip
"""Of `torch.distributed.checkpoint.state_dict`, torch 2.13.0, and of peft 0.21.2."""
WEIGHTS_ONLY_SINCE = (2, 6)
"""The version since which `torch.load` has `weights_only=True` by default."""
TENSORLESS_STATE = frozenset({Role.SCHEDULER, Role.METRIC_SCHEDULER, Role.SCALER})
"""Whose state dicts hold numbers, strings and lists of them: no tensor that `torch.load` would restore to a device."""
NAMES_OF_TENSORLESS = re.compile(r"(\w+_)?((lr_?)?sched(uler)?s?|lrs|(grad_?)?scaler)")
"""The usual names of these, in lower case."""
