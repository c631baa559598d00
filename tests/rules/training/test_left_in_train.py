"""Which module is evaluated in train mode because nothing calls `eval()`."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "evaluation-without-eval"
CALL = "model(x)"
CODE = """\
import torch
from torch import nn
from elsewhere import anything
class Net(nn.Module):
    def __init__(self, rate=0.5, normalizes=False):
        super().__init__()
        self.layers = {layers}
    def forward(self, x):
        return self.layers(x)
class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()
class Word:
    def eval(self): pass
def train(model, optimizer, loader):
    for x in loader:
        optimizer.zero_grad()
        model(x + 1).mean().backward()
        optimizer.step()
def main(loader, validation):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(9):
        train(model, optimizer, loader)
    {after}
main(anything(), anything())
"""
NEXT = "\n    "
SEQUENTIAL = "nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))"
LOOK = ["with torch.no_grad():", "    for x in validation:", f"        y = {CALL}"]

LAYERS = {
    "dropout": (SEQUENTIAL, True),
    "by its default": ("nn.Dropout()", True),
    "by a default of the constructor": ("nn.Dropout(rate)", True),
    "a batch norm": ("nn.BatchNorm1d(4)", True),
    "inside another": ("nn.Sequential(nn.Sequential(nn.BatchNorm1d(4)), nn.ReLU())", True),
    "none": ("nn.Linear(4, 4)", False),
    "a norm of layers": ("nn.LayerNorm(4)", False),
    "that drops nothing": ("nn.Dropout(p=0.0)", False),
    "without statistics": ("nn.BatchNorm1d(4, track_running_stats=False)", False),
    "by an option": ("nn.Dropout(0.5) if normalizes else nn.Identity()", False),
    "of which nobody knows": ("anything(4)", False),
    "whose rate nobody knows": ("nn.Dropout(anything())", False),
}
CALLS = {
    "in a loop over batches": (LOOK, True),
    "under inference mode": (["with torch.inference_mode():", *LOOK[1:]], True),
    "in a comprehension": (["with torch.no_grad():", f"    y = [{CALL} for x in validation]"], True),
    "of what is made of a batch": ([*LOOK[:2], "        x = x.float()", LOOK[2]], True),
    "another is switched": (["Word().eval()", *LOOK], True),
    "put into train mode": (["model.train()", *LOOK], True),
    "recorded": (["for x in validation:", f"    y = {CALL}"], False),
    "of one input": (["with torch.no_grad():", "    x = torch.ones(1, 4)", f"    y = {CALL}"], False),
    "for the clock": (["with torch.no_grad():", "    for x in range(9):", f"        y = {CALL}"], False),
    "for the statistics": ([*LOOK[:2], f"        {CALL}"], False),
    "switched": (["model.eval()", *LOOK], False),
    "told not to train": (["model.train(False)", *LOOK], False),
    "with what it is a part of": (["Other().eval()", *LOOK], False),
    "something is switched": (["anything().eval()", *LOOK], False),
    "set by hand": (["model.training = False", *LOOK], False),
    "of another that nobody trains": (["model = Net()", *LOOK], False),
}
PREDICTING = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout()
    def forward(self, x):
        return self.drop(x)
@torch.no_grad()
def {name}(model, x):
    return model(x)
model = Net()
{load}
{name}(model, torch.ones(2))
"""
LOAD = "model.load_state_dict(torch.load('net.pt'))"
TRAINING = "from predicting import model\ndef train(loss):\n    {train}\n"


@pytest.mark.parametrize(("layers", "is_found"), LAYERS.values(), ids=LAYERS)
def test_the_module_surely_has_two_modes(program: Program, layers: str, is_found: bool) -> None:
    found = program(CODE.format(layers=layers, after=NEXT.join(LOOK))).reported(RULE)

    assert found == ([f"y = {CALL}"] if is_found else [])


@pytest.mark.parametrize(("after", "is_found"), CALLS.values(), ids=CALLS)
def test_what_evaluates_goes_through_batches_unrecorded_and_unswitched(
    program: Program, after: list[str], is_found: bool
) -> None:
    found = program(CODE.format(layers=SEQUENTIAL, after=NEXT.join(after))).reported(RULE)

    assert len(found) == is_found


def test_what_runs_within_a_training_step_is_no_evaluation(program: Program) -> None:
    step = CODE.replace("    for x in loader:\n", "    for x in loader:\n        with torch.no_grad(): y = model(x)\n")

    assert program(step.format(layers=SEQUENTIAL, after="pass")).reported(RULE) == []


@pytest.mark.parametrize(
    ("name", "load", "is_found"),
    [("predict", LOAD, True), ("predict", "", False), ("mc_predict", LOAD, False), ("test_predict", LOAD, False)],
)
def test_a_program_that_never_trains_predicts(program: Program, name: str, load: str, is_found: bool) -> None:
    found = program(PREDICTING.format(name=name, load=load)).reported(RULE)

    assert found == ([f"return {CALL}"] if is_found else [])


@pytest.mark.parametrize(("train", "is_found"), [("pass", True), ("loss.backward()", False)])
def test_a_program_that_trains_may_look_at_a_single_input(project_of: ProjectOf, train: str, is_found: bool) -> None:
    files = {
        "predicting.py": PREDICTING.format(name="predict", load=LOAD),
        "training.py": TRAINING.format(train=train),
    }

    found = project_of(files).reported(RULE, "predicting.py")

    assert found == ([f"return {CALL}"] if is_found else [])


NET = """\
import torch
from torch import nn
from torch.nn import functional as F
from elsewhere import anything
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    def forward(self, x):
        return self.layers(x)
def train(model, optimizer, loader):
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
{look}
def main(loader, validation, head):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(9):
        train(model, optimizer, loader)
        look(model, validation, head)
main(anything(), anything(), anything())
"""
LOOKS = {
    "losses are summed": (
        """
        def look(model, loader, head):
            total = 0.0
            for x, y in loader:
                total += F.mse_loss(model(x), y).item()
            return total / len(loader)
        """,
        True,
    ),
    "predictions are counted": (
        """
        def look(model, loader, head):
            right = 0
            for x, y in loader:
                scores = model(x)
                right += (scores.argmax(dim=1) == y).sum().item()
            print(right)
        """,
        True,
    ),
    "predictions are collected": (
        """
        def look(model, loader, head):
            found = []
            for x, y in loader:
                found.append(model(x).detach().cpu())
            return torch.cat(found)
        """,
        True,
    ),
    "what is kept has its graph": (
        """
        def look(model, loader, head):
            total = 0.0
            for x, y in loader:
                loss = F.mse_loss(model(x), y)
                total = total + loss
                print(loss.item())
            return total
        """,
        False,
    ),
    "the sum is differentiated": (
        """
        def look(model, loader, head):
            total = 0.0
            for x, y in loader:
                loss = F.mse_loss(model(x), y)
                print(loss.item())
                total = total + loss
            total.backward()
        """,
        False,
    ),
    "another function may train": (
        """
        def look(model, loader, head):
            for x, y in loader:
                loss = F.mse_loss(model(x), y)
                anything().train_step(loss)
                print(loss.item())
        """,
        False,
    ),
    "a generator yields them": (
        """
        def look(model, loader, head):
            for x, y in loader:
                loss = F.mse_loss(model(x), y)
                print(loss.item())
                yield loss
        """,
        False,
    ),
    "a loop of the same function trains": (
        """
        def look(model, loader, head):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                loss = F.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
            for x, y in loader:
                loss = F.mse_loss(model(x), y)
                print(loss.item())
        """,
        True,
    ),
    "samples are wanted": (
        """
        def mc_look(model, loader):
            return [model(x).detach() for x, y in loader]
        def look(model, loader, head):
            return mc_look(model, loader)
        """,
        False,
    ),
    "features train another": (
        """
        def look(model, loader, head):
            optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
            for x, y in loader:
                features = model(x).detach()
                F.mse_loss(head(features), y).backward()
                optimizer.step()
        """,
        False,
    ),
    "an unknown object is given the loss": (
        """
        def look(model, loader, head):
            for x, y in loader:
                loss = F.mse_loss(model(x), y)
                head.update(loss)
                print(loss.item())
        """,
        False,
    ),
}
TRAINER = """\
import torch
from torch import nn
from elsewhere import anything
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout()
        self.out = nn.Linear(4, 2)
    def forward(self, x):
        return self.out(self.drop(x))
class Trainer:
    def __init__(self, net, loader, validation):
        self.net = net
        self.loader, self.validation = loader, validation
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    def step(self, x):
        self.optimizer.zero_grad()
        self.net(x).mean().backward()
        self.optimizer.step()
    def look(self, x):
        {look}
    def fit(self):
        for epoch in range(9):
            for x in self.loader:
                self.step(x)
            {loop}
Trainer(Net(), anything(), anything()).fit()
"""
METHODS = {
    "recorded": ("return self.net(x).detach().cpu()", "found = [self.look(x) for x in self.validation]", True),
    "in a loop": ("return self.net(x).argmax(1).cpu()", "for x in self.validation: y = self.look(x)", True),
    "not recorded": (
        "with torch.no_grad(): return self.net(x)",
        "for x in self.validation: print(self.look(x))",
        True,
    ),
    "with its graph": ("return self.net(x)", "for x in self.validation: y = self.look(x)", False),
    "of one input": ("return self.net(x).detach()", "y = self.look(torch.ones(1, 4))", False),
    "switched": ("return self.net(x).detach()", "self.net.eval()\n            for x in self.validation: y = self.look(x)", False),
    "within a step": ("return self.net(x).detach()", "for x in self.loader: self.look(x); self.step(x)", False),
}  # fmt: skip


@pytest.mark.parametrize(("look", "is_found"), LOOKS.values(), ids=LOOKS)
def test_a_loop_over_batches_evaluates_if_it_reads_results_and_never_differentiates(
    program: Program, look: str, is_found: bool
) -> None:
    assert len(program(NET.format(look=textwrap.dedent(look))).reported(RULE)) == is_found


@pytest.mark.parametrize(("look", "loop", "is_found"), METHODS.values(), ids=METHODS)
def test_a_method_evaluates_what_its_callers_loop_over(program: Program, look: str, loop: str, is_found: bool) -> None:
    assert len(program(TRAINER.format(look=look, loop=loop)).reported(RULE)) == is_found


EVALUATING = "{mode}:\n            for part in x: y = self.net(part)"
STEPPING = """\
for n, x in enumerate(self.loader):
                self.step(x)
                {validating}"""
PERIODS = {
    "every hundred steps": ("with torch.no_grad()", "if n % 100 == 0: self.look(self.validation)", True),
    "with every step": ("with torch.no_grad()", "self.look(x)", False),
    "recorded": ("if True", "if n % 100 == 0: self.look(self.validation)", False),
    "switched": ("with torch.no_grad()", "if n % 9 == 0: self.net.eval(); self.look(x); self.net.train()", False),
}


@pytest.mark.parametrize(("mode", "validating", "is_found"), PERIODS.values(), ids=PERIODS)
def test_an_evaluation_may_begin_after_many_steps(program: Program, mode: str, validating: str, is_found: bool) -> None:
    look, loop = EVALUATING.format(mode=mode), STEPPING.format(validating=validating)
    assert len(program(TRAINER.format(look=look, loop=loop)).reported(RULE)) == is_found
