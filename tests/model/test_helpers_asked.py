"""Helpers that answer whether something is on CUDA: who asks one is guarded as if the test stood there itself."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

CUDA = "torch.cuda.get_device_capability(x.device)"
ASKED = """
    import torch
    from settings import read

    def answers(x):
        {body}

    def scale(x):
        if {test}:
            {cuda}
        return x
    """
CHOSEN = {
    "a test": ("return x.device.type == 'cuda'", "answers(x)"),
    "and another": ("return x.dim() == 2 and x.device.type == 'cuda'", "answers(x)"),
    "a test for the host": ("return x.device.type == 'cpu'", "not answers(x)"),
    "an early no": ("if x.device.type != 'cuda': return False\n        return True", "answers(x)"),
    "an arm": ("if x.device.type == 'cuda': return x.dim() == 2", "answers(x)"),
    "another helper": (
        "return inner(x) and x.dim() == 2\n    def inner(x):\n        return x.device.type == 'cuda'",
        "answers(x)",
    ),
    "beside another test": ("return x.device.type == 'cuda'", "x.dim() == 2 and answers(x)"),
}
OPEN = {
    "a test of something else": ("return x.dim() == 2", "answers(x)"),
    "the opposite": ("if x.device.type != 'cuda': return True\n        return False", "answers(x)"),
    "either": ("return x.dim() == 2 or x.device.type == 'cuda'", "answers(x)"),
    "one of two yeses": ("if x.device.type == 'cuda': return True\n        return x.dim() == 2", "answers(x)"),
    "no answer": ("if x.device.type == 'cpu': return x.dim() == 2", "not answers(x)"),
    "a default": ("return read().device == 'cuda' or True", "answers(x)"),
    "nothing": ("pass", "not answers(x)"),
}


def _program(body: str, test: str) -> str:
    return dedent(ASKED).format(body=body.replace("\n    ", "\n"), test=test, cuda=CUDA)


@pytest.mark.parametrize(("body", "test"), CHOSEN.values(), ids=CHOSEN)
def test_a_helper_that_asks_for_cuda_is_a_guard(program: Program, body: str, test: str) -> None:
    assert program(_program(body, test)).reported("hardcoded-cuda") == []


@pytest.mark.parametrize(("body", "test"), OPEN.values(), ids=OPEN)
def test_a_helper_that_may_answer_so_on_the_host_is_none(program: Program, body: str, test: str) -> None:
    assert program(_program(body, test)).reported("hardcoded-cuda") == [CUDA]
