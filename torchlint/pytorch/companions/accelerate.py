"""What Accelerate is: the accelerator, and what it does with modules. Read in accelerate 1.15.0."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, Takeover
from torchlint.pytorch.symbols import DISTRIBUTED

SOURCE = "accelerate 1.15.0"
ACCELERATORS = frozenset({"accelerate.Accelerator", "accelerate.accelerator.Accelerator"})

_METHODS = ("prepare", "prepare_model")
PREPARING = {f"{accelerator}.{method}": DISTRIBUTED for accelerator in sorted(ACCELERATORS) for method in _METHODS}
"""Methods that give back what they are given, one for each argument, and what they put around a module that is trained
where there are several processes: `Accelerator.prepare_model`."""

UNWRAPPING = frozenset(
    {f"{accelerator}.unwrap_model" for accelerator in ACCELERATORS}
    | {"accelerate.utils.extract_model_from_parallel", "accelerate.utils.other.extract_model_from_parallel"}
)
"""What gives back the module inside what was prepared, and the module itself where nothing is around it."""

# `Accelerator.backward` divides the loss by `gradient_accumulation_steps`, scales it where there is a scaler, and hands
# it to the engine of DeepSpeed where that runs.
TAKEOVER = Takeover(
    frozenset(PREPARING), SOURCE, "skips the scaling that Accelerate adds for mixed precision and accumulation"
)

OWN_STEPS = frozenset({"split_batches", "dataloader_config", "step_scheduler_with_optimizer"})
"""Arguments of an Accelerator that may have a prepared scheduler step once for each step of the optimizer. Without them
`AcceleratedScheduler.step` steps `num_processes` times, and a prepared loader yields so many times fewer batches."""
PROCESSES = "num_processes"
"""The attribute of an accelerator, and of its state, that says how many processes there are."""

# `prepare_model` calls `torch.compile` last, with what the plugin was made with.
BACKEND, PLUGIN = "dynamo_backend", "dynamo_plugin"
"""The arguments of an Accelerator, one of which says that it compiles what it prepares, and with what."""
NO_BACKEND = "no"
"""The backend with which it compiles nothing."""
PLUGINS = frozenset(f"accelerate.utils.{module}TorchDynamoPlugin" for module in ("", "dataclasses."))
"""What makes the second one, with the arguments of `torch.compile`."""

COLLECTIVES = frozenset("check_trigger gather gather_for_metrics pad_across_processes reduce wait_for_everyone".split())
"""Methods of an accelerator that wait for all processes."""
_SHARDED = frozenset("get_state_dict load_state save_model save_state".split())
COLLECTIVES_WITH = {"fsdp_plugin": _SHARDED, "deepspeed_plugin": frozenset({"load_state", "save_state"})}
"""Those that wait only where the accelerator shards, by the argument that makes it: FSDP gathers parameters,
and all have to call `DeepSpeedEngine.save_checkpoint`. `get_state_dict` gathers with ZeRO stage 3 alone: left out."""
COLLECTIVE_FUNCTIONS = frozenset(
    f"accelerate.utils.{module}{name}"
    for module in ("", "operations.")
    for name in "broadcast broadcast_object_list gather gather_object pad_across_processes reduce".split()
) | {"accelerate.utils.wait_for_everyone", "accelerate.utils.other.wait_for_everyone"}
"""Functions that do."""

COMPANION = Companion(
    "accelerate",
    SOURCE,
    takeovers=(TAKEOVER,),
    comparing_versions=frozenset({"accelerate.utils.is_torch_version", "accelerate.utils.versions.is_torch_version"}),
)
