"""What Lightning is: the hooks of its module, and Fabric.

Read in pytorch-lightning 1.9.5 and 2.0.0, and lightning 2.6.6.
"""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, RemovedHook, Takeover

PACKAGES = ("lightning", "pytorch_lightning")
MODULES = frozenset({
    "lightning.LightningModule", "lightning.pytorch.LightningModule", "lightning.pytorch.core.LightningModule",
    "lightning.pytorch.core.module.LightningModule",
    "pytorch_lightning.LightningModule", "pytorch_lightning.core.LightningModule",
    "pytorch_lightning.core.lightning.LightningModule", "pytorch_lightning.core.module.LightningModule",
})  # fmt: skip
"""The LightningModule, by any name; the last but one is that of Lightning before 1.8."""

_TWO = (2, 0)
# What raises does so in `Trainer.fit`, `validate` or `test`: trainer/configuration_validator.py.
REMOVED_HOOKS = (
    RemovedHook("training_epoch_end", _TWO, "override `on_train_epoch_end`, and keep the outputs", raises=True),
    RemovedHook("validation_epoch_end", _TWO, "override `on_validation_epoch_end`, and keep the outputs", raises=True),
    RemovedHook("test_epoch_end", _TWO, "override `on_test_epoch_end`, and keep the outputs", raises=True),
    RemovedHook("training_step_end", _TWO, "do it in `training_step`"),
    RemovedHook("validation_step_end", _TWO, "do it in `validation_step`"),
    RemovedHook("test_step_end", _TWO, "do it in `test_step`"),
    RemovedHook("tbptt_split_batch", _TWO, "split the batch in `training_step`"),
)
"""Methods of a LightningModule that it has no more, and what a message advises to do instead."""
REMOVED_INDEX = ("training_step", "optimizer_idx", _TWO)
"""The parameter of a method for which `Trainer.fit` raises, as several optimizers take manual optimization:
core/optimizer.py."""

MANUAL_BACKWARD = "manual_backward"
"""The method of a LightningModule that calls `backward()` on the loss that it is given."""
MANUAL = "automatic_optimization"
"""The attribute or property of a LightningModule that is False where `training_step` steps the optimizers itself."""
CONFIGURE = "configure_optimizers"
STEPPED = frozenset({"lr_schedulers", "lr_scheduler_configs"})
"""What gives a program the schedulers that `configure_optimizers` returned. Lightning steps none of them under manual
optimization: `_TrainingEpochLoop._update_learning_rates`."""

# utilities/compile.py: `from_compiled`, to which `Trainer.fit` and the others give what `torch.compile` returned.
COMPILED_METHODS = ("training_step", "validation_step", "test_step", "predict_step")
"""The methods of a compiled LightningModule that are compiled, beside `forward`."""

FABRICS = tuple(
    f"{package}Fabric"
    for package in ("lightning.", "lightning.fabric.", "lightning.fabric.fabric.", "lightning_fabric.")
)
# `_FabricModule` raises in a tensor's own `backward()` where precision or strategy needs `fabric.backward(loss)`.
FABRIC = Takeover(
    frozenset(f"{fabric}.{method}" for fabric in FABRICS for method in ("setup", "setup_module")),
    "lightning 2.6.6",
    "skips the loss scaling of Fabric, or raises where its strategy forbids that",
)

COMPANION = Companion(
    "lightning",
    "lightning 2.6.6",
    modules=MODULES,
    takeovers=(FABRIC,),
)
