"""Functions that load a state dict into a module or optimizer, as the method `load_state_dict` does."""

FILLING_STATE = frozenset({
    "set_model_state_dict", "set_optimizer_state_dict", "set_peft_model_state_dict", "set_state_dict",
})  # fmt: skip
"""Of `torch.distributed.checkpoint.state_dict`, torch 2.13.0, and of peft 0.21.2."""
WEIGHTS_ONLY_SINCE = (2, 6)
"""The version since which `torch.load` has `weights_only=True` by default."""
