"""Functions that fill a module or optimizer with a state dict, which `load_state_dict` does as a method."""

FILLING_STATE = frozenset({
    "set_model_state_dict", "set_optimizer_state_dict", "set_peft_model_state_dict", "set_state_dict",
})  # fmt: skip
"""Of `torch.distributed.checkpoint.state_dict`, torch 2.13.0, and of peft 0.21.2."""
