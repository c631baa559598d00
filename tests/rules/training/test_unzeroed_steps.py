"""Which steps use the gradients of all iterations so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint import Confidence

Program: TypeAlias = Callable[[str], Checkout]
RULE = "missing-zero-grad"
ROUND = "model(x).mean().backward()\n        optimizer.step()"
CODE = """\
import torch
from torch import nn
{before}
def train(model, loader, optimizer):
    {loop}
        {round}
model = nn.Linear(3, 1)
train(model, [torch.ones(2, 3)], {optimizer})
"""
SGD = "torch.optim.SGD(model.parameters(), lr=0.1)"
FOR = "for x in loader:"
ROUNDS = {
    "plain": (ROUND, True),
    "now and then": (ROUND.replace("optimizer", "if x.sum() > 0: optimizer"), True),
    "with a scaler": ("scaler.scale(model(x)).backward()\n        scaler.step(optimizer)", True),
    "through a function": (ROUND.replace("model(x)", "loss_of(model, x)"), True),
    "clipped": (ROUND.replace("optimizer", "nn.utils.clip_grad_norm_(model.parameters(), 1)\n        optimizer"), True),
    "without a graph for a while": (f"with torch.no_grad(): model(x)\n        {ROUND}", True),
    "zeroed": (f"optimizer.zero_grad()\n        {ROUND}", False),
    "zeroed now and then": (f"if x is None: optimizer.zero_grad()\n        {ROUND}", False),
    "zeroed by the module": (f"{ROUND}\n        model.zero_grad()", False),
    "dropped by hand": (f"{ROUND}\n        for p in model.parameters(): p.grad = None", False),
    "zeroed by a function": (f"{ROUND}\n        clean(model)", False),
    "zeroed by a function of a function": (f"{ROUND}\n        finish(model)", False),
    "zeroed by a method of somebody": (f"{ROUND}\n        x.tidy()", False),
    "of a closure": (f"{ROUND[:-2]}(closure)", False),
    "of some tensors": (ROUND.replace("backward()", "backward(inputs=[x])"), False),
    "once": (f"{ROUND}\n        break", False),
    "of its own optimizer": (f"optimizer = {SGD}\n        {ROUND}", False),
}
BEFORE = """\
scaler = torch.amp.GradScaler("cuda")
def loss_of(model, x): return model(x)
def clean(model): model.zero_grad()
def finish(model): clean(model)
class Cleaner:
    def tidy(self): self.optimizer.zero_grad()
class Own(torch.optim.SGD):
    def step(self):
        super().step()
        self.zero_grad()
class Plain(torch.optim.SGD):
    def step(self): super().step()
"""
OPTIMIZERS = {
    "of PyTorch": (SGD, True),
    "one of two": (f"{SGD} if x else torch.optim.Adam(model.parameters())", True),
    "of the project": (SGD.replace("torch.optim.SGD", "Plain"), True),
    "that zeroes": (SGD.replace("torch.optim.SGD", "Own"), False),
    "of another package": (SGD.replace("torch.optim.SGD", "somewhere.SGD"), False),
    "nobody knows": ("x", False),
}
LOOPS = {
    "over a loader": (FOR, True),
    "while": ("while True:\n        x = next(loader)", True),
    "zeroed once before": (f"optimizer.zero_grad()\n    {FOR}", True),
    "that goes round once": ("for x in range(1):", False),
}
CALLED = """\
import torch
from torch import nn
class Trainer:
    def __init__(self, model):
        self.model, self.optimizer = model, torch.optim.SGD(model.parameters(), lr=0.1)
    def step(self, x):
        self.model(x).mean().backward()
        self.optimizer.step()
    def clean(self):
        self.optimizer.zero_grad()
trainer = Trainer(nn.Linear(3, 1))
{called}
"""
CALLS = {
    "in a loop": ("for x in data: trainer.step(x)", True),
    "by way of another": ("def go(x): trainer.step(x)\nfor x in data: go(x)", True),
    "zeroed beside": ("for x in data:\n    trainer.clean()\n    trainer.step(x)", False),
    "zeroed on the way": ("def go(x):\n    trainer.clean()\n    trainer.step(x)\nfor x in data: go(x)", False),
    "in two loops, one of which zeroes": (
        "for x in data: trainer.step(x)\nfor x in data:\n    trainer.clean()\n    trainer.step(x)",
        False,
    ),
    "once": ("trainer.step(data)", False),
}


@pytest.mark.parametrize(("round_", "is_found"), ROUNDS.values(), ids=ROUNDS)
def test_a_round_that_lets_go_of_no_gradient_piles_them_up(program: Program, round_: str, is_found: bool) -> None:
    found = program(CODE.format(before=BEFORE, loop=FOR, round=round_, optimizer=SGD)).findings(RULE)

    assert len(found) == is_found


@pytest.mark.parametrize(("optimizer", "is_found"), OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_an_optimizer_may_zero_by_itself(program: Program, optimizer: str, is_found: bool) -> None:
    found = program(CODE.format(before=BEFORE, loop=FOR, round=ROUND, optimizer=optimizer)).findings(RULE)

    assert len(found) == is_found


@pytest.mark.parametrize(("loop", "is_found"), LOOPS.values(), ids=LOOPS)
def test_what_goes_round_once_piles_nothing_up(program: Program, loop: str, is_found: bool) -> None:
    found = program(CODE.format(before=BEFORE, loop=loop, round=ROUND, optimizer=SGD)).findings(RULE)

    assert len(found) == is_found


@pytest.mark.parametrize(("called", "is_found"), CALLS.values(), ids=CALLS)
def test_who_calls_a_step_may_zero_for_it(program: Program, called: str, is_found: bool) -> None:
    assert len(program(CALLED.format(called=called)).findings(RULE)) == is_found


TWO = """\
import torch
from torch import nn
class Both(nn.Module):
    def __init__(self, judge, more):
        super().__init__()
        self.judge, self.more = judge, more
maker, judge = nn.Linear(2, 2), nn.Linear(2, 1)
both = Both(judge, nn.Linear(2, 2))
of_maker, of_judge = torch.optim.SGD(maker.parameters()), torch.optim.SGD(judge.parameters())
of_all, of_both = torch.optim.SGD([*maker.parameters(), *judge.parameters()]), torch.optim.SGD(both.parameters())
for x in torch.ones(3, 4, 2):
    {zeroing}
    judge(maker(x).detach()).mean().backward()
    of_judge.step()
"""
ZEROED = {
    "that of another module": ("of_maker.zero_grad()", 1),
    "that module": ("maker.zero_grad()", 0),
    "an optimizer of all": ("of_all.zero_grad()", 0),
    "that of a module made of it": ("of_both.zero_grad()", 0),
    "both": ("of_maker.zero_grad(); of_judge.zero_grad()", 0),
}


@pytest.mark.parametrize(("zeroing", "found"), ZEROED.values(), ids=ZEROED)
def test_an_optimizer_of_another_module_zeroes_nothing_here(program: Program, zeroing: str, found: int) -> None:
    assert len(program(TWO.format(zeroing=zeroing)).reported(RULE)) == found


CALLED_IN_A_LOOP = """\
import torch
from torch import nn
def once(model, x):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(x).mean().backward()
    optimizer.step()
model = nn.Linear(3, 1)
for train in (once, once):
    train({model}, torch.ones(2, 3))
"""


@pytest.mark.parametrize(("model", "expected"), [("model", True), ("nn.Linear(3, 1)", False)])
def test_a_module_that_is_made_anew_has_no_gradients_of_other_rounds(
    program: Program, model: str, *, expected: bool
) -> None:
    assert bool(program(CALLED_IN_A_LOOP.format(model=model)).findings(RULE)) is expected


ARMS = """\
import torch
def train(model, loader, flag, args):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, x in enumerate(loader):
        {tested}:
            opt.zero_grad()
            model(x).sum().backward()
            opt.step()
        else:
            model(x).sum().backward()
            opt.step()
        {after}
"""
TESTED = {
    "a parameter": ("if flag", "pass", 1),
    "not a parameter": ("if not flag", "pass", 1),
    "an option": ("if args.amp", "pass", 1),
    "a counter": ("if i % 2", "pass", 0),
    "a flag that changes": ("if flag", "flag = not flag", 0),
    "an option that changes": ("if args.amp", "args.amp = True", 0),
    "the batch": ("if x", "pass", 0),
    "zeroed in both": ("if flag", "opt.zero_grad()", 0),
    "what a call decides": ("if flag()", "pass", 0),
}


@pytest.mark.parametrize(("tested", "after", "expected"), TESTED.values(), ids=TESTED)
def test_what_another_arm_zeroes_is_not_zeroed_here(program: Program, tested: str, after: str, expected: int) -> None:
    found = program(ARMS.format(tested=tested, after=after)).findings(RULE)
    assert len(found) == expected


PASSED = """\
import torch
def train({parameters}, loader):
    opt_g = torch.optim.Adam({first}.parameters())
    opt_d = torch.optim.Adam({second}.parameters())
    for x in loader:
        loss = g(x).mean()
        {zeroing}
        loss.backward()
        opt_g.step()
        loss = d(x).mean()
        loss.backward()
        opt_d.step()
"""
PARAMETERS = {
    "of two parameters": ("g, d", "g", "d", "opt_g.zero_grad()", 1),
    "of one": ("g, d", "g", "g", "opt_g.zero_grad()", 0),
    "of a part": ("g, d", "g", "g.head", "opt_g.zero_grad()", 0),
    "by the module": ("g, d", "g", "d", "g.zero_grad()", 0),
    "of both": ("g, d", "g", "d", "opt_g.zero_grad(); opt_d.zero_grad()", 0),
}


@pytest.mark.parametrize(("parameters", "first", "second", "zeroing", "expected"), PARAMETERS.values(), ids=PARAMETERS)
def test_modules_that_are_passed_by_two_names_are_likely_two(
    program: Program, parameters: str, first: str, second: str, zeroing: str, expected: int
) -> None:
    code = PASSED.format(parameters=parameters, first=first, second=second, zeroing=zeroing)
    found = program(code).findings(RULE)
    assert len(found) == expected
    assert all(one.confidence is Confidence.MEDIUM for one in found)


MADE_BY_A_METHOD = """\
import torch
from torch import nn

class Check:
    def build(self):
        self.model = nn.Linear(3, 1)

    def step(self, model):
        model(torch.ones(2, 3)).mean().backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()

    def run(self):
        {before}
        for _ in range(3):
            {within}
            self.step(self.model)

Check().run()
"""


@pytest.mark.parametrize(("before", "within", "count"), [("pass", "self.build()", 0), ("self.build()", "pass", 1)])
def test_a_module_that_a_method_makes_in_each_iteration_loses_its_gradients(
    before: str, within: str, count: int, program: Program
) -> None:
    assert len(program(MADE_BY_A_METHOD.format(before=before, within=within)).findings(RULE)) == count
