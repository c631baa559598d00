"""Functions without callers in view: how they use their parameters shows what these are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HEAD = "import torch\nfrom torch import nn\n"
UNZEROED = {
    "a function": """
        def train(model, loader, criterion, optimizer):
            for x, y in loader:
                criterion(model(x), y).backward()
                optimizer.step()
        """,
    "with annotations": """
        def train(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
    "a trainer": """
        class Trainer:
            def __init__(self, model, optimizer):
                self.model, self.steps = model, 0
                self.optimizer = optimizer
            def fit(self, loader):
                for x, y in loader:
                    nn.functional.mse_loss(self.model(x), y).backward()
                    self.optimizer.step()
        """,
}
ZEROED = {
    "by the module": """
        def train(model, loader, optimizer):
            for x, y in loader:
                model.zero_grad()
                model(x).sum().backward()
                optimizer.step()
        """,
    "by what the loop is given": """
        def train(model, loader, optimizer, before):
            for x, y in loader:
                before.clear_gradients()
                model(x).sum().backward()
                optimizer.step()
        """,
    "an optimizer that each round makes": """
        def train(model, loader, optimizer):
            for x, y in loader:
                optimizer = optimizer.copy(model)
                model(x).sum().backward()
                optimizer.step()
        """,
    "a scheduler's": """
        def train(model, loader, schedule):
            for x, y in loader:
                model(x).sum().backward()
                schedule.step()
        """,
    "a method of the class zeroes": """
        class Trainer:
            def __init__(self, model, optimizer):
                self.model = model
                self.optimizer = optimizer
            def begin(self):
                self.optimizer.zero_grad()
            def fit(self, loader):
                for x, y in loader:
                    self.begin()
                    self.model(x).sum().backward()
                    self.optimizer.step()
        """,
}
LEFT_IN_EVAL = """
def fit(model, loader, held_out, optimizer{more}):
    for epoch in range(10):
        {start}
        for x in loader:
            optimizer.zero_grad()
            {loss}.backward()
            optimizer.step()
        {switched}.eval()
        with torch.no_grad():
            for x in held_out:
                print({switched}(x).sum())
"""
EVALUATED = """
{decorator}
def check(model, loader):
    model.eval()
    found = []
    right = 0
    for x, y in loader:
        out = model(x)
        found.append(out)
        right += (out.argmax(1) == y).sum().item()
    return {returned}
"""


def test_what_a_file_evaluates_itself_is_called_by_whoever_runs_it(program: Program) -> None:
    code = "model = nn.Linear(2, 2)\nmodel.eval()\nfor x, y in [(1, 2)]:\n    print(model(x).argmax(1))\n"

    (found,) = program(HEAD + code).findings("evaluation-without-no-grad")

    assert found.confidence.value == "high"


def _lines(text: str) -> str:
    return HEAD + "\n".join(line[8:] for line in text.split("\n"))


@pytest.mark.parametrize("code", UNZEROED.values(), ids=UNZEROED)
def test_gradients_that_nobody_zeroes_are_a_warning(program: Program, code: str) -> None:
    (found,) = program(_lines(code)).findings("missing-zero-grad")

    assert (found.severity.value, found.confidence.value) == ("warning", "medium")


@pytest.mark.parametrize("code", ZEROED.values(), ids=ZEROED)
def test_gradients_that_somebody_may_zero_are_not_reported(program: Program, code: str) -> None:
    assert program(_lines(code)).reported("missing-zero-grad") == []


@pytest.mark.parametrize(
    ("start", "loss", "switched", "more", "is_found"),
    [
        ("pass", "model(x).sum()", "model", "", True),
        ("model.train()", "model(x).sum()", "model", "", False),
        ("pass", "(model(x) - teacher(x)).sum()", "teacher", ", teacher", False),
        ("pass", "criterion(model(x), x)", "model", ", criterion", True),
        ("pass", "discriminator(model(x)).sum()", "model", ", discriminator", False),
    ],
    ids=["left", "put back", "a teacher", "a loss", "two that may be trained"],
)
def test_a_module_beside_the_only_optimizer_is_the_one_that_is_trained(
    program: Program, start: str, loss: str, switched: str, more: str, is_found: bool
) -> None:
    code = HEAD + LEFT_IN_EVAL.format(start=start, loss=loss, switched=switched, more=more)

    found = program(code).findings("eval-mode-left-on")

    assert [(one.severity.value, one.confidence.value) for one in found] == [("warning", "medium")] * is_found


@pytest.mark.parametrize(
    ("returned", "decorator", "is_found"),
    [
        ("right / len(loader)", "", True),
        ("float(right), 1", "", True),
        ("torch.cat(found)", "", False),
        ("found", "", False),
        ("right", "@torch.no_grad()", False),
        ("right", "@anything", False),
    ],
)
def test_what_is_recorded_for_numbers_alone_is_recorded_for_nobody(
    program: Program, returned: str, decorator: str, is_found: bool
) -> None:
    code = HEAD + "from elsewhere import anything\n" + EVALUATED.format(returned=returned, decorator=decorator)

    found = program(code).findings("evaluation-without-no-grad")

    assert [one.confidence.value for one in found] == ["medium"] * is_found
