"""Devices with an index that the caller chooses: whether a machine without a GPU is given one, is not in view."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

TEXTS = [
    "f'cuda:{gpu}'",
    "'cuda:{}'.format(gpu)",
    "'cuda:%d' % gpu",
    "'cuda:' + str(gpu)",
    "'cuda', gpu",
    "'cuda', index=gpu",
]
FUNCTION = "import torch\ndef run(gpu{}):\n    return torch.ones(2, device=torch.device({}))\n{}"


def judged(checkout: Checkout) -> str:
    (found,) = checkout.findings("hardcoded-cuda")
    return found.confidence.value


@pytest.mark.parametrize("text", TEXTS)
def test_an_index_that_nobody_in_view_gives_is_the_callers(program: Callable[[str], Checkout], text: str) -> None:
    assert judged(program(FUNCTION.format("", text, ""))) == "medium"


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("default", "call"),
    [("=0", ""), ("", "run(1)\n"), ("", "torch.multiprocessing.spawn(run, nprocs=2)\n")],
    ids=["a default", "a call", "a rank"],
)
def test_an_index_in_view_is_the_programs(
    program: Callable[[str], Checkout], text: str, default: str, call: str
) -> None:
    assert judged(program(FUNCTION.format(default, text, call))) == "high"


def test_what_an_object_is_given_is_its_callers(program: Callable[[str], Checkout]) -> None:
    code = "import torch\nclass Runner:\n    def __init__(self, gpu):\n        self.gpu = {}\n"
    code += "    def run(self):\n        return torch.ones(2, device=f'cuda:{{self.gpu}}')\n"

    assert judged(program(code.format("gpu"))) == "medium"
    assert judged(program(code.format("0"))) == "high"
