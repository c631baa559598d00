"""A `return` outside of any function, as a cell of a notebook may have: Python reads it, and never runs it."""

from __future__ import annotations

from collections.abc import Callable

from tests.checkout import Checkout


def test_a_return_outside_of_any_function_returns_to_no_caller(program: Callable[[str], Checkout]) -> None:
    loop = "for x in torch.ones(3, 2):\n    out = net(x)\n    loss = out.sum()\n    kept.append(out)\n    opt.step()\n"
    head = "import torch\nnet = torch.nn.Linear(2, 2)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nkept = []\n"

    assert len(program(f"{head}{loop}return kept\n").findings("kept-graph")) == 1
