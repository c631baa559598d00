"""What Transformers is: the Trainer, and what it calls. Read in transformers 4.45.2, 4.46.3, 4.47.1 and 5.24.0."""

from __future__ import annotations

import re

from torchlint.pytorch.kinds import Companion, CudaLibrary, PassedArgument
from torchlint.pytorch.roles import Role

PACKAGE = "transformers"
_QUANTIZED = "https://huggingface.co/docs/transformers/quantization/bitsandbytes"
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
"""Arguments that the Trainer passes to its methods since some version, also where they are overridden."""

SCHEDULES = re.compile(r"(transformers|diffusers)\.(optimization\.)?get_(?!reduce_)(\w+_)?schedule(r|_with_warmup\w*)?")
"""Functions that return a scheduler of PyTorch's, a `LambdaLR`; those of diffusers 0.38 have the same names.

`get_reduce_on_plateau_schedule` returns a `ReduceLROnPlateau`, which `get_scheduler` does for its name alone.
"""

OLD_SCHEDULERS = (
    "ConstantLRSchedule WarmupConstantSchedule WarmupCosineSchedule WarmupCosineWithHardRestartsSchedule"
    " WarmupLinearSchedule"
)
"""Subclasses of `LambdaLR` in transformers 2.1.1, and in pytorch_transformers 1.2.0, as it was called before."""

ARGUMENTS = frozenset({
    "transformers.TrainingArguments", "transformers.training_args.TrainingArguments",
    "transformers.Seq2SeqTrainingArguments", "transformers.training_args_seq2seq.Seq2SeqTrainingArguments",
    "trl.SFTConfig",
})  # fmt: skip
"""What configures a Trainer."""
COMPILING = frozenset({"torch_compile", "torch_compile_backend", "torch_compile_mode"})
"""The arguments with any of which the Trainer has Accelerate compile the model."""
REDUCED = "preprocess_logits_for_metrics"
"""The argument of a Trainer that makes less of the outputs of each batch before `evaluation_loop` keeps them."""
KEPT_LESS = frozenset("batch_eval_metrics eval_accumulation_steps predict_with_generate prediction_loss_only".split())
"""Arguments of `TrainingArguments` without which it keeps the outputs of all batches on the GPU until the last one."""
EVALUATION = frozenset({"evaluate", "evaluation_loop", "prediction_loop", "prediction_step"})
"""The methods of a Trainer by which it does."""
_SPEAKING = r"\w+(ForCausalLM|ForMaskedLM|ForSeq2SeqLM|ForConditionalGeneration|LMHeadModel)"
SPEAKING = re.compile(rf"transformers\.(\w+\.)*{_SPEAKING}(\.from_pretrained)?")
"""Modules whose outputs have a number for each token of the vocabulary, at each position, and what makes them."""

TOKENIZERS = re.compile(r"transformers\.(\w+\.)*\w*(Tokenizer(Fast)?|Processor|FeatureExtractor)(\.from_pretrained)?")
"""Classes of tokenizers and processors, and what makes one of them."""
TOKENIZER, ENCODING = "transformers.PreTrainedTokenizerBase", "transformers.BatchEncoding"
"""What they are, and what they return: a dict of tensors on the CPU, with a method `to` that moves it in place."""
ENCODING_METHODS = frozenset({"__call__", "encode_plus", "batch_encode_plus", "pad"})
"""The methods that return one, with tensors if `return_tensors` is "pt"."""
IDS_METHODS = frozenset({"encode"})
"""The methods that return a single tensor then."""
GENERATING = "generate"
"""The method of a model that calls it for each token that it generates."""


COMPANION = Companion(
    "transformers",
    "transformers 5.24.0; 4.46.3 for AdamW and 2.1.1 for the schedulers, which have gone since",
    classes={
        Role.OPTIMIZER: "Adafactor AdamW",
        Role.SCHEDULER: OLD_SCHEDULERS,
    },
    modules=frozenset({"transformers.PreTrainedModel"}),
    models=r"transformers\.(\w+\.)*\w+(Model|For[A-Z]\w+|LMHeadModel)\.from_pretrained",
    cuda=(
        CudaLibrary(
            keyword="attn_implementation",
            value="flash_attention_2",
            source="https://huggingface.co/docs/transformers/attention_interface",
        ),
        CudaLibrary(keyword="load_in_8bit", source=_QUANTIZED),
        CudaLibrary(keyword="load_in_4bit", source=_QUANTIZED),
    ),
    comparing_versions=frozenset(
        {
            "transformers.utils.is_torch_version",
            "transformers.utils.import_utils.is_torch_version",
        }
    ),
)
