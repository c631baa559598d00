"""What a parameter must be for how its function uses it, without known callers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import Built, Unknown

Program: TypeAlias = Callable[[str], Checkout]

MODULE, OPTIMIZER = "torch.nn.Module", "torch.optim.Optimizer"
USES = {
    "steps and zeroes": ("it.zero_grad()\n    it.step()", OPTIMIZER),
    "in a closure": ("def closure():\n        it.zero_grad()\n    it.step(closure)", OPTIMIZER),
    "steps alone": ("it.step()", ""),
    "called and switched": ("it.eval()\n    it(x)", MODULE),
    "called, with its parameters asked for": ("it(x)\n    clip(it.parameters())", MODULE),
    "called alone": ("it(x)", ""),
    "switched alone": ("it.eval()", ""),
    "moved and bound anew": ("it = it.to(x)\n    it.train()\n    it(x)", MODULE),
    "bound to something else": ("it = make(x)\n    it.train()\n    it(x)", ""),
}


@pytest.mark.parametrize(("use", "name"), USES.values(), ids=USES)
def test_what_is_done_with_a_parameter_says_what_it_is(program: Program, use: str, name: str) -> None:
    checkout = program(f"def run(it, x):\n    y = (it)  # here\n    {use}\n")

    assert checkout.values("it", mark="here") == ([Built(name)] if name else [Unknown()])


@pytest.mark.parametrize(
    ("word", "is_one"), [("optimizer", True), ("opt_d", True), ("scheduler", False), ("env", False)]
)
def test_what_only_steps_is_an_optimizer_by_its_name(program: Program, word: str, is_one: bool) -> None:
    checkout = program(f"def run({word}):\n    y = ({word})  # here\n    {word}.step()\n")

    assert (checkout.values(word, mark="here") == [Built(OPTIMIZER)]) is is_one


def test_what_a_constructor_keeps_is_looked_at_in_all_methods(program: Program) -> None:
    code = """\
class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optim = optimizer

    def fit(self, x):
        self.model.train()
        self.optim.zero_grad()
        self.model(x).backward()
        self.optim.step()
        y = (self.model, self.optim)
"""
    checkout = program(code + "        a = (self.model)  # one\n        b = (self.optim)  # two\n")

    assert checkout.values("self.model", mark="one") == [Built(MODULE)]
    assert checkout.values("self.optim", mark="two") == [Built(OPTIMIZER)]


def test_a_caller_decides(program: Program) -> None:
    code = "from elsewhere import made\ndef run(it):\n    y = (it)  # here\n    it.zero_grad()\n    it.step()\nrun(made())\n"

    assert program(code).values("it", mark="here") == [Unknown()]


def test_an_annotation_comes_first(program: Program) -> None:
    code = "import torch\ndef run(it: torch.Tensor):\n    y = (it)  # here\n    it.zero_grad()\n    it.step()\n"

    assert [type(one).__name__ for one in program(code).values("it", mark="here")] == ["Tensor"]


def test_a_test_is_not_the_only_caller(project_of: Callable[[dict[str, str]], Checkout]) -> None:
    run = 'def run(device="cpu"):\n    y = (device)  # here\n'
    test = "from main import run\ndef test_run():\n    assert run() is None\n"

    assert program_values(project_of({"main.py": run, "test_main.py": test})) == ["Literal", "Unknown"]
    assert program_values(project_of({"main.py": run, "other.py": test})) == ["Literal"]
    assert program_values(project_of({"main.py": run, "test_main.py": test, "other.py": test})) == ["Literal"]


def program_values(checkout: Checkout) -> list[str]:
    """Return the kinds of what `device` may be."""
    return [type(one).__name__ for one in checkout.values("device", mark="here")]


@pytest.mark.parametrize("annotation", ["Net", '"Net"', '"Optional[Net]"', '"Net | None"'])
def test_an_annotation_may_name_a_class_that_is_defined_below(program: Program, annotation: str) -> None:
    code = (
        f"from __future__ import annotations\ndef run(it: {annotation}):\n    y = (it)  # here\nclass Net:\n    pass\n"
    )

    assert [type(one).__name__ for one in program(code).values("it", mark="here")] == ["Instance"]


@pytest.mark.parametrize("annotation", ['"Other"', '"a b"', '""', "Twice"])
def test_an_annotation_that_names_no_class_says_nothing(program: Program, annotation: str) -> None:
    code = f"def run(it: {annotation}):\n    y = (it)  # here\nclass Twice:\n    pass\nclass Twice:\n    pass\n"

    assert [type(one).__name__ for one in program(code).values("it", mark="here")] == ["Unknown"]
