"""What functions read under global names that are bound again below the calls of these functions."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

# Each program reads `x` in a function, on the marked line; and what it finds there.
READ = "def show():\n    use(x)  # here\n"
FOUND = {
    "bound anew below the call": ("x = 1\nshow()\nx = 2", [1]),
    "bound anew above the call": ("x = 1\nx = 2\nshow()", [2]),
    "called on both sides": ("x = 1\nshow()\nx = 2\nshow()", [1, 2]),
    "called in a loop that binds it": ("x = 1\nfor n in ns:\n    show()\n    x = 2\nx = 3", [1, 2]),
    "called by a function": ("def main():\n    show()\nx = 1\nmain()\nx = 2", [1]),
    "called by functions of which one is not": ("def main():\n    show()\nx = 1\nshow()\nx = 2", [2]),
    "called by itself": ("def main(n):\n    show()\n    main(n - 1)\nx = 1\nmain(2)\nx = 2", [1]),
    "called in a block": ("if __name__ == '__main__':\n    x = 1\n    show()\n    x = 2", [1]),
    "never called": ("x = 1\nx = 2", [2]),
    "handed on": ("x = 1\natexit.register(show)\nx = 2", [2]),
}


@pytest.mark.parametrize(("code", "expected"), FOUND.values(), ids=FOUND)
def test_a_function_finds_what_holds_where_it_is_called(program: Program, code: str, expected: list[object]) -> None:
    checkout = program(READ + code + "\n")

    assert checkout.literals("x", mark="here") == expected


def test_a_generator_runs_later_than_it_is_called(program: Program) -> None:
    checkout = program("def show():\n    yield x  # here\nx = 1\nshown = show()\nx = 2\n")

    assert checkout.literals("x", mark="here") == [2]


def test_who_imports_a_function_finds_what_holds_at_the_end(project_of: ProjectOf) -> None:
    checkout = project_of({
        "shown.py": READ + "x = 1\nshow()\nx = 2\n",
        "main.py": "from shown import show\nshow()\n",
    })  # fmt: skip

    assert checkout.literals("x", "shown.py", mark="here") == [2]


TRAINED_AND_LOADED = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    def forward(self, x):
        if x.isnan().any().item():
            raise ValueError
        return self.layer(x)
net = Net().cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
def train():
    for x in torch.utils.data.DataLoader([]):
        net(x.cuda()).sum().backward()
        optimizer.step()
{}
net = torch.load("best.pt")
test()
"""


@pytest.mark.parametrize(("call", "count"), [("train()", 1), ("test()", 0)])
def test_what_is_loaded_in_the_end_is_not_what_was_trained(program: Program, call: str, count: int) -> None:
    checkout = program(dedent(TRAINED_AND_LOADED.format(call)))

    assert len(checkout.reported("item-in-training-loop")) == count
