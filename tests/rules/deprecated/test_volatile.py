"""Which variables are asked to be volatile, and what that comes to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from rules.deprecated.detectors.volatile import volatile_variables
from tests.checkout import Checkout, asked
from torchlint.model import Project

Program: TypeAlias = Callable[[str], Checkout]
HEAD = "import torch\nfrom torch.autograd import Variable\n"
MADE = "x = Variable(x, volatile=True)"


def told(file: Checkout) -> list[bool]:
    return [one.is_evaluated for one in asked(volatile_variables, file.file())]


ASKED = {
    "by keyword": (f"def f(x):\n    {MADE}", [False]),
    "by position": ("def f(x):\n    x = Variable(x, False, True)", [False]),
    "by the name of the package": ("def f(x):\n    x = torch.autograd.Variable(x, volatile=True)", [False]),
    "by an option": ("def f(x, on):\n    x = Variable(x, volatile=on)", [False]),
    "in a function that evaluates": (f"def evaluate(model, x):\n    {MADE}\n    return model(x)", [True]),
    "in one that says so otherwise": (f"def runBatch(model, x):\n    model.eval()\n    {MADE}", [True]),
    "in one that tests by its name": (f"def testModel(model, x):\n    {MADE}\n    return model(x)", [True]),
    "in one that trains": (f"def evaluate(model, x):\n    {MADE}\n    model(x).sum().backward()", [False]),
    "not at all": ("def f(x):\n    x = Variable(x, volatile=False)", []),
    "nothing said": ("def f(x):\n    x = Variable(x)", []),
    "of the project": (f"class Variable:\n    pass\ndef f(x):\n    {MADE}", []),
    "under no_grad": (f"def evaluate(x):\n    with torch.no_grad():\n        {MADE}", []),
    "in a function without": (f"@torch.no_grad()\ndef evaluate(x):\n    {MADE}", []),
    "called under no_grad": (f"def evaluate(x):\n    {MADE}\nwith torch.no_grad():\n    evaluate(1)", []),
    "behind a version": (f"def evaluate(x):\n    if torch.__version__ < '0.4':\n        {MADE}", []),
}


@pytest.mark.parametrize(("code", "expected"), ASKED.values(), ids=ASKED)
def test_a_volatile_variable_is_told_by_what_it_was_for(program: Program, code: str, expected: list[bool]) -> None:
    assert told(program(HEAD + code)) == expected


def test_nothing_is_told_where_the_oldest_torch_knows_of_it(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(f"{HEAD}def f(x):\n    {MADE}\n")

    file = Project(tmp_path, (0, 3)).open(tmp_path / "main.py", "main.py")

    assert list(asked(volatile_variables, file)) == []
