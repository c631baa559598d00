"""What DeepSpeed is: its engine. Read in deepspeed 0.19.8 and, for what was before 0.18.3, in 0.18.2."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, Takeover
from torchlint.pytorch.roles import Role

# `DeepSpeedEngine.backward` scales the loss for fp16, divides it by the accumulation steps and reduces the gradients.
# Since 0.18.3 the engine's hooks do the last two where a tensor's own is called, except under ZeRO stage 0 and fp16,
# where they raise (`_backward_prologue`, `_backward_post_hook` of deepspeed/runtime/engine.py).
TAKEOVER = Takeover(
    frozenset({"deepspeed.initialize"}),
    "deepspeed 0.19.8",
    "reduces no gradients before DeepSpeed 0.18.3, or raises under fp16 and ZeRO stage 0",
    position=0,
    is_module=True,
    hooks_since=(0, 19),
)

COMPANION = Companion(
    "deepspeed",
    "deepspeed 0.19.8",
    classes={
        Role.OPTIMIZER: "DeepSpeedCPUAdagrad DeepSpeedCPUAdam DeepSpeedCPULion FusedAdam FusedLamb FusedLion",
    },
    takeovers=(TAKEOVER,),
)
OF_ENGINE = frozenset(
    "backward step save_checkpoint load_checkpoint save_16bit_model optimizer lr_scheduler global_steps"
    " gradient_accumulation_steps is_gradient_accumulation_boundary set_gradient_accumulation_boundary"
    " get_global_grad_norm module_state_dict load_module_state_dict train_batch_size set_train_batch_size"
    " train_micro_batch_size_per_gpu zero_optimization zero_optimization_stage"
    " zero_gather_16bit_weights_on_model_save".split()
)
"""Attributes of its engine, which may be in place of a wrapper: https://deepspeed.readthedocs.io/en/latest/."""
