"""What Transformers is: the Trainer, and what it calls. Read in transformers 4.45.2, 4.46.3, 4.47.1 and 5.24.0."""

from __future__ import annotations

import re

from torchlint.pytorch.companions.kinds import PassedArgument

PACKAGE = "transformers"
_OF_TRL = "CPOTrainer DPOTrainer GRPOTrainer KTOTrainer ORPOTrainer RewardTrainer SFTTrainer"
TRAINERS = frozenset({
    "transformers.Trainer", "transformers.trainer.Trainer",
    "transformers.Seq2SeqTrainer", "transformers.trainer_seq2seq.Seq2SeqTrainer",
    *(f"trl.{name}" for name in _OF_TRL.split()),
})  # fmt: skip
"""The Trainer, and what inherits its loop; those of trl 0.26."""

_LOOP = ("train", "_inner_training_loop")
PASSED = (
    PassedArgument("compute_loss", "num_items_in_batch", None, (4, 46), ("training_step", *_LOOP)),
    PassedArgument("training_step", "num_items_in_batch", 2, (4, 46), _LOOP),
    PassedArgument("log", "start_time", 1, (4, 47), ("_maybe_log_save_evaluate", *_LOOP)),
)
"""Arguments that the Trainer passes to its methods since some version, whoever overrides them."""

SCHEDULES = re.compile(r"(transformers|diffusers)\.(optimization\.)?get_(\w+_)?schedule(r|_with_warmup\w*)?")
"""Functions that return a scheduler of PyTorch's, a `LambdaLR`; those of diffusers 0.38 have the same names."""
