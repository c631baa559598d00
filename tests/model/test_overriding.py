"""What subclasses put in the place of abstract methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Device, Tensor

Program: TypeAlias = Callable[[str], Checkout]

MANY = 14
HEAD = """
import torch
from torch import nn

class Base(nn.Module):
    def forward(self, x):
        return self.compute(x)

    def compute(self, x):
        {body}

"""
LOSS = """
class Loss{number}(Base):
    def {method}(self, x):
        mean = x.mean()
        print(mean.item(), {number})
        return mean

"""
TRAIN = """
def train(model, loader, criterion: Base):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x in loader:
        loss = criterion(model(x.cuda()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
ABSTRACT = {
    "refused": "raise NotImplementedError",
    "told": '"""Return the loss."""',
    "passed over": "pass",
    "left out": "...",
}


def _losses(method: str = "compute") -> str:
    return "".join(LOSS.format(number=number, method=method) for number in range(MANY))


@pytest.mark.parametrize("body", ABSTRACT.values(), ids=ABSTRACT)
def test_every_method_that_a_step_may_run_instead_runs_with_it(program: Program, body: str) -> None:
    checkout = program(HEAD.replace("{body}", body) + _losses() + TRAIN)

    expected = [f"print(mean.item(), {number})" for number in range(MANY)]
    assert checkout.reported("item-in-training-loop") == expected


def test_every_module_that_a_step_may_call_is_followed(program: Program) -> None:
    base = HEAD.replace("self.compute(x)", "x").replace("compute", "backbone").replace("{body}", "pass")
    abstract = base.replace("        return x\n", "        raise NotImplementedError\n")
    checkout = program(abstract + _losses("forward") + TRAIN)

    assert len(checkout.reported("item-in-training-loop")) == MANY


def test_a_method_that_has_a_body_is_run_itself(program: Program) -> None:
    checkout = program(HEAD.replace("{body}", "return x.mean()") + _losses() + TRAIN)

    assert checkout.reported("item-in-training-loop") == []


def test_an_object_that_is_known_runs_its_own_method(program: Program) -> None:
    made = TRAIN.replace("criterion: Base", "criterion").replace("criterion(", "Loss3().compute(")
    checkout = program(HEAD.replace("{body}", "pass") + _losses() + made)

    assert checkout.reported("item-in-training-loop") == ["print(mean.item(), 3)"]


def test_all_of_them_are_called_with_what_is_passed(program: Program) -> None:
    text = """
class Base:
    def run(self):
        self.compute("cuda")

    def compute(self, device):
        raise NotImplementedError

"""
    heirs = "".join(
        f"class Own{number}(Base):\n    def compute(self, device):\n        use(device)  # {number}\n\n"
        for number in range(MANY)
    )
    checkout = program(text + heirs)

    assert all(checkout.literals("device", mark=str(number)) == ["cuda"] for number in range(MANY))


PLACED = """
import torch

class Base:
    @property
    def device(self):
        {body}

    def place(self, x):
        return torch.ones(2).to(self.device)  # here

{subclass}
"""
SUBCLASS = """
class Placed(Base):
    def __init__(self):
        self._device = torch.device("cuda")

    @property
    def device(self):
        return self._device
"""


@pytest.mark.parametrize("body", ABSTRACT.values(), ids=ABSTRACT)
@pytest.mark.parametrize(("subclass", "device"), [(SUBCLASS, Device("cuda")), ("", None)])
def test_a_property_without_a_body_is_that_of_a_subclass(
    program: Program, body: str, subclass: str, device: Device | None
) -> None:
    checkout = program(PLACED.format(body=body, subclass=subclass))

    (value,) = checkout.values("torch.ones(2).to(self.device)", mark="here")

    assert isinstance(value, Tensor)
    assert value.device == device


EMPTY = """\
from torch import nn
class Base:
    {declared}
    def __init__(self): {stored}
    def use(self):
        {before}
        show(self.model)
class Own(Base):
    def build(self): self.{name} = nn.Linear(2, 2)
"""
EMPTY_ATTRIBUTES = {
    "stored": ("pass", "self.model = None", "pass", "model", {None, "Built"}),
    "of the class": ("model = None", "pass", "pass", "model", {None, "Built"}),
    "that no subclass fills": ("pass", "self.model = None", "pass", "other", {None}),
    "emptied right there": ("pass", "self.model = None", "self.model = None", "model", {None}),
    "that is not empty": ("pass", "self.model = 3", "pass", "model", {3}),
}


@pytest.mark.parametrize(
    ("declared", "stored", "before", "name", "expected"), EMPTY_ATTRIBUTES.values(), ids=EMPTY_ATTRIBUTES
)
def test_an_empty_attribute_is_what_subclasses_store_in_it(
    program: Program, declared: str, stored: str, before: str, name: str, expected: set[object]
) -> None:
    code = EMPTY.format(declared=declared, stored=stored, before=before, name=name)
    found = program(code).literals("self.model")
    assert set(found) == expected
