"""What torch compiles again, counted."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from torchlint.pytorch.recompiling import ALWAYS, RECOMPILE_LIMIT, Constant

torch = pytest.importorskip("torch")
CALLS = RECOMPILE_LIMIT + 4


class Counting(torch.nn.Module):  # type: ignore[misc, name-defined, unused-ignore]
    def __init__(self) -> None:
        super().__init__()
        self.seen = 0

    def forward(self, x: float, _: int) -> float:
        self.seen += 1
        return x * 2


def scaled(x: float, number: int) -> float:
    return x * number


def added(x: float, number: int) -> float:
    for _ in range(number):
        x = x + 1
    return x


def told(x: float, text: str) -> float:
    return x * len(text)


COMPILED: dict[Constant, Callable[[], Callable[..., object]]] = {
    Constant.ATTRIBUTE: Counting,
    Constant.ARGUMENT: lambda: scaled,
    Constant.ROUNDS: lambda: added,
    Constant.TEXT: lambda: told,
}


@pytest.mark.parametrize(("constant", "dynamic"), [*itertools.product(Constant, (None, True, False))])
def test_a_row_says_whether_each_value_is_compiled_for(constant: Constant, dynamic: bool | None) -> None:
    graphs: list[object] = []

    def kept(graph: torch.fx.GraphModule, _: object) -> object:  # type: ignore[name-defined, unused-ignore]
        graphs.append(graph)
        return graph.forward

    torch._dynamo.reset()
    run = torch.compile(COMPILED[constant](), backend=kept, dynamic=dynamic)
    for number in range(CALLS):
        run(torch.ones(2), f"step {number}" if constant is Constant.TEXT else number + 2)

    assert (len(graphs) == RECOMPILE_LIMIT) is (dynamic in ALWAYS[constant])


def test_the_limit_is_that_of_torch() -> None:
    import torch._dynamo.config as config

    assert config.recompile_limit == RECOMPILE_LIMIT
