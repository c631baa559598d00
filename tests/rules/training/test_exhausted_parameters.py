"""Which uses of a generator of parameters find nothing left in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "exhausted-parameters"
CODE = """\
import itertools
import torch
from torch import nn
from torch.optim import SGD
class Own:
    def parameters(self): return []
own = Own()
def train(model, loader, other):
    out = model(loader)
    params = {made}
    {uses}
"""
PARAMETERS = "model.parameters()"
SGD, CLIP = "SGD(params, lr=0.1)", "nn.utils.clip_grad_norm_(params, 1.0)"
MADES = {
    "of a module": (PARAMETERS, True),
    "with names": ("model.named_parameters()", True),
    "filtered": (f"filter(lambda p: p.requires_grad, {PARAMETERS})", True),
    "of several": (f"itertools.chain({PARAMETERS}, other.parameters())", True),
    "a generator expression": (f"(p for p in {PARAMETERS})", True),
    "a list": (f"list({PARAMETERS})", False),
    "a comprehension": (f"[p for p in {PARAMETERS}]", False),
    "of the project": ("own.parameters()", False),
    "a module": ("model", False),
}
USES = {
    "clipped after the optimizer": ([SGD, CLIP], True),
    "clipped by value": ([SGD, CLIP.replace("norm", "value")], True),
    "given to another optimizer": ([SGD, SGD], True),
    "gone through": (["for p in params: p.sum()", "for p in params: p.sum()"], True),
    "counted": (["sum(p.numel() for p in params)", SGD], True),
    "clipped in each round": ([f"for x in loader: {CLIP}"], True),
    "used in a function inside": ([SGD, "def step():", "    for p in params: p.sum()"], True),
    "once": ([SGD], False),
    "in either arm": ([f"if other: {SGD}", f"else: {CLIP}"], False),
    "first in some cases": ([f"if other: {SGD}", CLIP], False),
    "made anew": ([SGD, f"params = {PARAMETERS}", CLIP], False),
    "made in each round": (["for x in loader:", f"    params = {PARAMETERS}", f"    {CLIP}"], False),
    "made anew in some cases": ([SGD, f"if other: params = {PARAMETERS}", CLIP], False),
    "not all of them first": (["for p in params: break", CLIP], False),
    "in one round": ([f"for x in loader: {CLIP}; break"], False),
    "lazily first": (["lazy = (p for p in params)", CLIP], False),
    "by what nobody knows": (["other(params)", CLIP], False),
    "by a function before": (["def step():", "    for p in params: p.sum()", "step()", SGD], False),
}
TRAINER = """\
import torch
from torch import nn
class Trainer:
    def __init__(self, model):
        self.params = {made}
        {before}
    def step(self, x):
        x.backward()
        nn.utils.clip_grad_norm_(self.params, 1.0)
        self.optimizer.step()
def main(model, data):
    trainer = Trainer(model)
    {called}
"""
OPTIMIZER = "self.optimizer = torch.optim.SGD(self.params, lr=0.1)"
OWN = "self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"
TRAINERS = {
    "after the constructor": (PARAMETERS, OPTIMIZER, "trainer.step(data)", True),
    "in each step": (PARAMETERS, OWN, "for x in data: trainer.step(x)", True),
    "once": (PARAMETERS, OWN, "trainer.step(data)", False),
    "of a list": (f"list({PARAMETERS})", OPTIMIZER, "trainer.step(data)", False),
    "set by others": (PARAMETERS, OPTIMIZER, "trainer.params = model.parameters()", False),
}
RECEIVED = """\
import torch, psutil
import models
from torch import nn
{above}
def run(given, net, freeze):
    values = {made}
    {first}
    for one in values: print(one)
"""
LOOP, GIVEN = "for one in values: print(one)", "torch.optim.SGD(values, lr=0.1)"
OTHERS = {
    "of another package": ("", "psutil.Process(1).children(recursive=True)", LOOP),
    "of another package without options": ("", "psutil.Process(1).children()", LOOP),
    "of what another package returns": ("", "psutil.Process(1).parent().children()", LOOP),
    "of another package's own class": ("", "models.Policy(3).parameters()", GIVEN),
    "filtered of another package": ("", "filter(None, psutil.Process(1).children())", LOOP),
    "of what nobody knows": ("", "given.parameters()", LOOP),
    "modules of what nobody knows": ("", "given.modules()", LOOP),
    "of what may be of the project": ("class Own:\n    def parameters(self): return []", "given.parameters()", GIVEN),
}
MODULES = {
    "of a layer": ("", "nn.Linear(2, 2).children()", LOOP),
    "with options": ("", "nn.Linear(2, 2).parameters(recurse=False)", LOOP),
    "of a class": ("class Net(nn.Module): pass", "Net().modules()", LOOP),
    "of what is trained": ("", "given.parameters()", GIVEN),
    "of what is clipped": ("", "given.parameters()", "nn.utils.clip_grad_norm_(values, 1.0)"),
    "of what is in a group": ("", "given.parameters()", "torch.optim.SGD([{'params': values}], lr=0.1)"),
    "filtered of what nobody knows": ("", "filter(freeze, given.parameters())", LOOP),
}


@pytest.mark.parametrize(("above", "made", "first"), OTHERS.values(), ids=OTHERS)
def test_other_objects_have_such_methods_too(program: Program, above: str, made: str, first: str) -> None:
    assert program(RECEIVED.format(above=above, made=made, first=first)).findings(RULE) == []


@pytest.mark.parametrize(("above", "made", "first"), MODULES.values(), ids=MODULES)
def test_a_module_is_known_by_what_it_is_or_by_its_use(program: Program, above: str, made: str, first: str) -> None:
    assert len(program(RECEIVED.format(above=above, made=made, first=first)).findings(RULE)) == 1


@pytest.mark.parametrize(("made", "is_found"), MADES.values(), ids=MADES)
def test_what_yields_parameters_is_used_up(program: Program, made: str, is_found: bool) -> None:
    assert len(program(CODE.format(made=made, uses=f"{SGD}\n    {CLIP}")).findings(RULE)) == is_found


@pytest.mark.parametrize(("uses", "is_found"), USES.values(), ids=USES)
def test_a_use_after_one_that_surely_takes_all_finds_nothing(program: Program, uses: list[str], is_found: bool) -> None:
    assert len(program(CODE.format(made=PARAMETERS, uses="\n    ".join(uses))).findings(RULE)) == is_found


@pytest.mark.parametrize(("made", "before", "called", "is_found"), TRAINERS.values(), ids=TRAINERS)
def test_what_a_constructor_keeps_is_used_by_methods(
    program: Program, made: str, before: str, called: str, is_found: bool
) -> None:
    assert len(program(TRAINER.format(made=made, before=before, called=called)).findings(RULE)) == is_found
