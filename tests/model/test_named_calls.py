"""Steps that are made by hooks: in a list, or called by a name that is a text."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent, indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout, every_step

Program: TypeAlias = Callable[[str], Checkout]

BRANCH = "tensor-branch-in-training-loop"
HEAD = """\
import torch
from torch import nn

class Hook:
    def before_step(self, trainer): ...
    def after_step(self, trainer): ...
    def after_epoch(self, trainer): ...

class OptimizerHook(Hook):
    def after_step(self, trainer):
        trainer.loss.backward()
        trainer.optimizer.step()

class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        self.hook = OptimizerHook()
        self.known = [OptimizerHook()]
        self.hooks = []
        self.others = [Hook()]

    def register(self, hook):
        self.hooks.append(hook)

    def call(self, name):
        for hook in self.hooks:
            getattr(hook, name)(self)

    def call_others(self, name):
        for hook in self.others:
            getattr(hook, name)(self)

    def call_each(self, hooks):
        for hook in hooks:
            hook.after_step(self)

    def call_with(self, *, of, name="after_step"):
        getattr(of, name)(self)

    def train(self, loader):
        for x in loader:
            loss = self.model(x).mean()
            loss.item()
            self.loss = loss
"""
TAIL = """
trainer = Trainer(nn.Linear(4, 1), torch.optim.SGD(model.parameters(), lr=0.1))
trainer.register(OptimizerHook())
"""
TRAINING = {
    "each of a list": "for hook in self.known:\n    hook.after_step(self)",
    "each of a list that is filled": "for hook in self.hooks:\n    hook.after_step(self)",
    "each of a list, further down": "self.call_each(self.known)",
    "one by a text": 'getattr(self.hook, "after_step")(self)',
    "each by a text": 'for hook in self.known:\n    getattr(hook, "after_step")(self)',
    "each by a name that is passed": 'self.call("after_step")',
    "one by a name that is passed by keyword": 'self.call_with(of=self.hook, name="after_step")',
}
IDLE = {
    "another method of them": 'self.call("before_step")',
    "another method by a text": 'getattr(self.hook, "before_step")(self)',
    "a name that nobody knows": "self.call(self.name)",
    "objects that make no step": 'self.call_others("after_step")',
    "a text that is no name of a method": 'print("after_step")',
    "a text for another parameter": 'self.call_with(of="after_step", name="before_step")',
}


def _program(calls: str) -> str:
    return HEAD + indent(dedent(calls), " " * 12) + "\n" + TAIL


@pytest.mark.parametrize("calls", TRAINING.values(), ids=TRAINING)
def test_a_loop_whose_hooks_make_the_step_trains(program: Program, calls: str) -> None:
    assert every_step(program(_program(calls)).place("loss.item()")) is not None


@pytest.mark.parametrize("calls", IDLE.values(), ids=IDLE)
def test_a_loop_that_calls_other_hooks_does_not(program: Program, calls: str) -> None:
    assert every_step(program(_program(calls)).place("loss.item()")) is None


def test_a_hook_after_the_loop_makes_no_step_in_it(program: Program) -> None:
    checkout = program(_program("") + 'trainer.train(loader)\ntrainer.call("after_step")\n')

    assert every_step(checkout.place("loss.item()")) is None


def test_losses_that_were_computed_before_are_no_steps_of_the_loop_around(program: Program) -> None:
    checkout = program("""\
        import torch
        model = torch.nn.Linear(2, 2)
        for epoch in range(9):
            losses = [model(x).sum() for x in loader]
            loss = sum(losses)
            loss.item()
            for one in losses:
                one.backward()
        """)

    assert every_step(checkout.place("loss.item()")) is None


MODES = """\
import torch
from torch import nn

class Base(nn.Module):
    def forward(self, *args, **kwargs):
        mode = kwargs.get("mode", "forward")
        if "mode" in kwargs:
            del kwargs["mode"]
        return getattr(self, "_" + mode)(*args, **kwargs)

class Small(Base):
    def _forward(self, words):
        total = words.sum()
        if total == 0:  # small
            return None
        return self.embed(words)

    def _sample(self, words):
        total = words.sum()
        if total == 0:  # sampled
            return None
        return self.embed(words)

class Large(Base):
    def _forward(self, words):
        total = words.sum()
        if total == 0:  # large
            return None
        return self.embed(words)

class Other(nn.Module):
    def _forward(self, words):
        total = words.sum()
        if total == 0:  # other
            return None
        return self.embed(words)

class WithLoss(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, words):
        return self.model(words).mean()

def main(loader, is_small):
    model = Small().cuda() if is_small else Large().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    wrapped = WithLoss(model)
    for words in loader:
        loss = {call}
        loss.backward()
        optimizer.step()
    return model(words.cuda(), mode="sample")
"""


@pytest.mark.parametrize("call", ["model(words.cuda()).mean()", "wrapped(words.cuda())"])
def test_a_method_whose_name_is_made_of_a_default_runs_with_every_step(program: Program, call: str) -> None:
    checkout = program(MODES.replace("{call}", call))

    lines = [checkout.file().source.text.split("\n")[one.span.line - 1] for one in checkout.findings(BRANCH)]
    assert [line.partition("# ")[2] for line in lines] == ["small", "large"]


def test_nothing_runs_by_a_name_that_nobody_knows(program: Program) -> None:
    text = MODES.replace("{call}", "model(words.cuda()).mean()").replace('kwargs.get("mode", "forward")', "self.mode")

    assert program(text).findings(BRANCH) == []
