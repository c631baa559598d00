"""Which module is evaluated in train mode because nothing calls `eval()`."""

from __future__ import annotations

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
