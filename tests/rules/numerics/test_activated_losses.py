"""Losses that are given probabilities, or logits, where they want the other one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
CODE = """\
import torch
from torch import nn
from torch.nn import functional as F
linear = nn.Linear(4, 4)
convolution = nn.Conv1d(4, 4, 1)
criterion = {criterion}
def train(x, y):
    {given}
"""
GIVEN = "return F.{}({}, y)"
SIGMOIDS = {
    "a method": ("x.sigmoid()", True),
    "a function": ("torch.sigmoid(linear(x)).squeeze(1)", True),
    "one of F": ("F.sigmoid(x)[:, 0]", True),
    "a module": ("nn.Sigmoid()(x)", True),
    "logits": ("linear(x)", False),
    "bounded": ("x.sigmoid() - 0.5", False),
    "its logarithm": ("F.logsigmoid(x)", False),
    "another activation": ("torch.tanh(x)", False),
}
LIKELIHOODS = {
    "a layer": ("linear(x)", True),
    "a convolution": ("convolution(x).flatten(1)", True),
    "probabilities": ("linear(x).softmax(1)", True),
    "of a sigmoid": ("torch.sigmoid(x)", True),
    "log probabilities": ("F.log_softmax(linear(x), 1)", False),
    "their logarithm": ("x.softmax(1).log()", False),
    "a loss by hand": ("linear(x) - x.logsumexp(1, keepdim=True)", False),
    "one of two": ("linear(x) if y.any() else F.log_softmax(x, 1)", False),
    "unknown": ("x", False),
}
PROBABILITIES = {
    "a layer": ("linear(x)", True),
    "a hyperbolic tangent": ("torch.tanh(linear(x))", True),
    "of a sigmoid": ("torch.sigmoid(linear(x))", False),
    "of a softmax": ("linear(x).softmax(1)[:, 0]", False),
    "cut off": ("linear(x).clamp(0, 1)", False),
    "one of two": ("linear(x) if y.any() else x.sigmoid()", False),
    "unknown": ("x", False),
}
BARE = {
    "a function": ("F.softmax(x, dim=1)", "x"),
    "a method": ("linear(x).softmax(1)", "linear(x)"),
    "a module": ("nn.Softmax(1)(linear(x))", "linear(x)"),
    "a network": ("nn.Sequential(linear, nn.Softmax(1))(x)", None),
    "seen from further away": ("F.softmax(x, dim=1)[0]", None),
}


def _code(given: str, criterion: str = "None") -> str:
    return CODE.format(criterion=criterion, given=given)


@pytest.mark.parametrize(("given", "is_found"), SIGMOIDS.values(), ids=SIGMOIDS)
def test_a_loss_with_a_sigmoid_inside_wants_logits(program: Program, given: str, is_found: bool) -> None:
    checkout = program(_code(GIVEN.format("binary_cross_entropy_with_logits", given)))

    assert len(checkout.findings("sigmoid-before-bce-with-logits")) == is_found


@pytest.mark.parametrize(("given", "is_found"), LIKELIHOODS.values(), ids=LIKELIHOODS)
def test_a_likelihood_wants_log_probabilities(program: Program, given: str, is_found: bool) -> None:
    checkout = program(_code(f"return criterion({given}, y)", "nn.NLLLoss().to('cpu')"))

    assert len(checkout.findings("nll-without-log-softmax")) == is_found


@pytest.mark.parametrize(("given", "is_found"), LIKELIHOODS.values(), ids=LIKELIHOODS)
def test_a_divergence_wants_log_probabilities(program: Program, given: str, is_found: bool) -> None:
    checkout = program(_code(f"return criterion({given}, y)", "nn.KLDivLoss(reduction='sum')"))

    assert len(checkout.findings("kl-div-without-log-softmax")) == is_found


@pytest.mark.parametrize(("given", "is_found"), PROBABILITIES.values(), ids=PROBABILITIES)
def test_a_loss_without_a_sigmoid_wants_probabilities(program: Program, given: str, is_found: bool) -> None:
    checkout = program(_code(GIVEN.format("binary_cross_entropy", given)))

    assert len(checkout.findings("bce-without-sigmoid")) == is_found


@pytest.mark.parametrize(("given", "bare"), BARE.values(), ids=BARE)
def test_an_activation_is_left_out_where_it_stands_at_the_loss(program: Program, given: str, bare: str | None) -> None:
    [found] = program(_code(GIVEN.format("cross_entropy", given))).findings("softmax-before-cross-entropy")

    assert (found.fix.edits[0].text if found.fix else None) == bare


def test_what_partial_passes_is_no_argument_of_the_call(program: Program) -> None:
    code = _code("self.softmax(x), F.softmax(x)", "None")
    made = "from functools import partial\nclass self: softmax = partial(F.softmax, dim=1)\n"

    found = program(code.replace("def train", f"{made}def train")).findings("implicit-softmax-dim")

    assert [one.span.column for one in found] == [22]


COMPARED = """\
import torch
from torch import nn
def {name}(own, model, y):
    x = torch.softmax(model(y), 1)
    loss = nn.NLLLoss()(x, y)
    {then}
"""
ONLY_COMPARED = {
    "by an assertion": ("test_loss.py", "assert torch.equal(loss, own(x, y))"),
    "by a method": ("loss_test.py", "own.assertAlmostEqual(loss.item(), own(x, y))"),
}
TRAINED = {
    "in a program": ("train.py", "assert loss.item() >= 0"),
    "in a test that trains": ("test_loss.py", "loss.backward()\n    own.step()\n    assert loss.item() >= 0"),
    "in a program for the test set": ("test.py", "return loss.item()"),
}


@pytest.mark.parametrize(("path", "then"), ONLY_COMPARED.values(), ids=ONLY_COMPARED)
def test_a_test_may_compare_losses_of_any_numbers(project_of: ProjectOf, path: str, then: str) -> None:
    checkout = project_of({path: COMPARED.format(name="test_same", then=then)})

    assert checkout.findings("nll-without-log-softmax", path) == []


@pytest.mark.parametrize(("path", "then"), TRAINED.values(), ids=TRAINED)
def test_what_trains_or_measures_a_model_may_not(project_of: ProjectOf, path: str, then: str) -> None:
    checkout = project_of({path: COMPARED.format(name="run", then=then)})

    assert len(checkout.findings("nll-without-log-softmax", path)) == 1


ONE_OF = """\
import sys
import torch
from elsewhere import Third
from torch import nn
from torch.nn import functional as F
class Logged(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(4, 4)
    def forward(self, x):
        return F.log_softmax(self.out(x), dim=1)
class Bare(Logged):
    def forward(self, x):
        return F.softmax(self.out(x), dim=1)
def build(name):
    if name == "logged":
        return Logged()
    return Bare()
def train(name, x, y):
    {body}
train(sys.argv[1], torch.randn(2, 4), torch.zeros(2).long())
"""
BY_TEST = "net = Logged() if name == 'logged' else Bare(); "
WITH_ONE_OF = {
    "by a test": f"{BY_TEST}F.nll_loss(net(x), y)",
    "by the other arm": "net = Bare() if name == 'bare' else Logged(); F.nll_loss(net(x), y)",
    "by a function": "net = build(name); F.nll_loss(net(x), y)",
    "by a table": "net = {'a': Logged(), 'b': Bare()}[name]; F.nll_loss(net(x), y)",
    "through a name": f"{BY_TEST}p = net(x); F.nll_loss(p, y)",
    "by a criterion": f"{BY_TEST}criterion = nn.NLLLoss(); criterion(net(x), y)",
    "where that one is tested for": f"{BY_TEST}\n    if name != 'logged': F.nll_loss(net(x), y)",
}
WITHOUT = {
    "the other one is tested for": f"{BY_TEST}\n    if name == 'logged': F.nll_loss(net(x), y)",
    "its logarithm is taken": f"{BY_TEST}p = net(x); \n    if name != 'logged': p = p.log()\n    F.nll_loss(p, y)",
    "the logarithm of both": f"{BY_TEST}F.nll_loss(net(x).log(), y)",
    "another loss": f"{BY_TEST}criterion = nn.NLLLoss() if name == 'logged' else nn.MSELoss(); criterion(net(x), y)",
    "one is unknown": "net = Bare() if name == 'bare' else Third(); F.nll_loss(net(x), y)",
    "both are right": "net = Logged() if name == 'logged' else nn.LogSoftmax(1); F.nll_loss(net(x), y)",
    "for a result of something else": f"{BY_TEST}p = net(x); p = Third()(p); F.nll_loss(p, y)",
}


@pytest.mark.parametrize("body", WITH_ONE_OF.values(), ids=WITH_ONE_OF)
def test_one_of_several_modules_is_enough(program: Program, body: str) -> None:
    code = ONE_OF.format(body=body.replace("; ", "\n    "))

    assert len(program(code).findings("nll-without-log-softmax")) == 1


@pytest.mark.parametrize("body", WITHOUT.values(), ids=WITHOUT)
def test_one_that_does_not_surely_meet_the_loss_is_not(program: Program, body: str) -> None:
    code = ONE_OF.format(body=body.replace("; ", "\n    "))

    assert program(code).findings("nll-without-log-softmax") == []
