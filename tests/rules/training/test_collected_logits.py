"""Which Trainers keep the logits of a whole evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "collected-logits"
HEAD = """\
import numpy as np
from peft import get_peft_model
from torch import nn
from transformers import (AutoModelForCausalLM, AutoModelForSequenceClassification, GPT2LMHeadModel, HfArgumentParser,
                          Seq2SeqTrainer, Seq2SeqTrainingArguments, Trainer, TrainingArguments)

def accuracy(prediction):
    return {{"accuracy": np.argmax(prediction.predictions, -1).mean()}}
def perplexity(prediction):
    return {{"perplexity": np.exp(prediction.predictions).mean()}}
class Speaker(nn.Module):
    def __init__(self, vocabulary, width=8):
        super().__init__()
        self.embed, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary)
class Sorter(nn.Module):
    def __init__(self, vocabulary, width=8):
        super().__init__()
        self.embed, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, 3)
class Own(Trainer):
    pass
class Evaluating(Trainer):
    def evaluation_loop(self, *args, **kwargs):
        return super().evaluation_loop(*args, **kwargs)
model = {model}
arguments = {arguments}
{trainer}
"""
CAUSAL = 'AutoModelForCausalLM.from_pretrained("gpt2")'
ARGUMENTS = 'TrainingArguments("out")'
TRAINER = "Trainer(model=model, args=arguments, eval_dataset=[1], compute_metrics=accuracy)"
MODELS = {
    "a causal one": CAUSAL,
    "one by its name": 'GPT2LMHeadModel.from_pretrained("gpt2")',
    "one that is made": "GPT2LMHeadModel(make())",
    "one of the program": "Speaker(100)",
    "one with adapters": f"{CAUSAL}\nmodel = get_peft_model(model, make())",
}
TRAINERS = {
    "a trainer": TRAINER,
    "one by position": "Trainer(model, arguments, eval_dataset=[1], compute_metrics=accuracy)",
    "one that is told nothing": "Trainer(model=model, eval_dataset=[1], compute_metrics=accuracy)",
    "one of sequences": "Seq2SeqTrainer(model=model, args=arguments, eval_dataset=[1], compute_metrics=accuracy)",
    "one of the program": "Own(model=model, args=arguments, eval_dataset=[1], compute_metrics=accuracy)",
}
SILENT = {
    "a classifier": {"model": 'AutoModelForSequenceClassification.from_pretrained("gpt2")'},
    "one of the program with few outputs": {"model": "Sorter(100)"},
    "any model": {"model": "make()"},
    "either model": {"model": f"{CAUSAL} if make() else Sorter(100)"},
    "what moves them": {"arguments": 'TrainingArguments("out", eval_accumulation_steps=4)'},
    "only the loss": {"arguments": 'TrainingArguments("out", prediction_loss_only=True)'},
    "tokens": {"arguments": 'Seq2SeqTrainingArguments("out", predict_with_generate=True)'},
    "what the user says": {"arguments": "HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()[0]"},
    "what is open": {"arguments": 'TrainingArguments("out", **make())'},
    "less": {"trainer": TRAINER.replace(")", ", preprocess_logits_for_metrics=lambda x, y: x.argmax(-1))")},
    "a metric of the logits": {"trainer": TRAINER.replace("accuracy", "perplexity")},
    "any metric": {"trainer": TRAINER.replace("accuracy", "make()")},
    "no metric": {"trainer": TRAINER.replace("accuracy", "None")},
    "nothing to evaluate": {"trainer": TRAINER.replace("eval_dataset=[1], ", "")},
    "a loop of its own": {"trainer": TRAINER.replace("Trainer", "Evaluating")},
}


def reported(program: Program, model: str = CAUSAL, arguments: str = ARGUMENTS, trainer: str = TRAINER) -> int:
    return len(program(HEAD.format(model=model, arguments=arguments, trainer=trainer)).findings(RULE))


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_language_model_has_outputs_for_a_vocabulary(model: str, program: Program) -> None:
    assert reported(program, model=model) == 1


@pytest.mark.parametrize("trainer", TRAINERS.values(), ids=TRAINERS)
def test_a_trainer_keeps_all_that_it_is_not_told_to_reduce(trainer: str, program: Program) -> None:
    assert reported(program, trainer=trainer) == 1


@pytest.mark.parametrize("parts", SILENT.values(), ids=SILENT)
def test_what_is_small_or_may_be_is_not_reported(parts: dict[str, str], program: Program) -> None:
    assert reported(program, **parts) == 0
