"""Tests for the old types of tensors on CUDA, of which there are none without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

CODE = "import torch\ndef move(x):\n    if {test}:\n        return x.cuda()\n    return x\nmove(read())\n"
TYPE = "torch.cuda.FloatTensor"


@pytest.mark.parametrize("test", [f"isinstance(x, {TYPE})", f"isinstance(x, ({TYPE}, torch.cuda.LongTensor))"])
def test_what_is_of_a_type_on_cuda_was_put_there(program: Program, test: str) -> None:
    assert program(CODE.format(test=test)).reported("hardcoded-cuda") == []


@pytest.mark.parametrize("test", [f"not isinstance(x, {TYPE})", f"{TYPE} is not None or not isinstance(x, {TYPE})"])
def test_that_something_is_of_no_type_on_cuda_is_no_guard(program: Program, test: str) -> None:
    assert program(CODE.format(test=test)).reported("hardcoded-cuda") == ["return x.cuda()"]
