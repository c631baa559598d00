"""Where a tensor is, after a test that asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Tensor
from torchlint.model.worlds import WITH_CUDA

Program: TypeAlias = Callable[[str], Checkout]

CENTRED = """
import torch
def centred(x):
    if {test}:
        x -= 1
        return x  # then
    if len(x) > 2:
        x -= 1
    return x  # otherwise
def main(rows):
    centred(torch.ones(2, 3).cuda())
    centred(torch.ones(2, 3))
    for row in rows:
        centred(torch.as_tensor(row))
"""
WHITENED = """
import torch
def whitened(x, weight):
    if {test}:
        return torch.mm(torch.ones(2, 2){moved}, x)
    return torch.mm(torch.ones(2, 2), x)
whitened(torch.ones(2, 3).cuda(), 1)
"""


def kinds(checkout: Checkout, mark: str) -> set[str | None]:
    """Return the kinds of devices that the value returned at a mark may be on, None for an unknown one."""
    values = checkout.values("x", mark=mark, world=WITH_CUDA)
    return {one.device.kind if one.device else None for one in values if isinstance(one, Tensor)}


@pytest.mark.parametrize(
    "test",
    [
        "x.is_cuda",
        "not x.is_cpu",
        "x.device.type == 'cuda'",
        "x.device.type != 'cpu'",
        "len(x) and x.is_cuda",
        "not (x.device.type == 'cpu' or len(x) > 2)",
    ],
)
def test_a_tensor_that_was_found_on_cuda_is_there(program: Program, test: str) -> None:
    assert kinds(program(CENTRED.format(test=test)), "then") == {"cuda"}


@pytest.mark.parametrize("test", ["x.is_cuda", "not x.is_cpu", "x.device.type == 'cuda'", "x.device.type != 'cpu'"])
def test_a_tensor_that_was_not_found_on_cuda_is_not_there(program: Program, test: str) -> None:
    assert kinds(program(CENTRED.format(test=test)), "otherwise") == {"cpu", None}


@pytest.mark.parametrize(
    "test", ["len(x) and x.is_cuda", "y.is_cuda", "x.device.type == 'mps'", "x.is_floating_point()"]
)
def test_a_test_of_more_or_of_something_else_leaves_it_open(program: Program, test: str) -> None:
    assert kinds(program(CENTRED.format(test=test)), "otherwise") == {"cuda", "cpu", None}


def test_a_tensor_that_is_bound_anew_is_wherever_that_is(program: Program) -> None:
    code = CENTRED.format(test="x.is_cuda").replace("x -= 1\n        return", "x = x.cpu()\n        return")

    assert kinds(program(code), "then") == {"cpu"}


@pytest.mark.parametrize("test", ["x.is_cuda", "x.device.type == 'cuda'", "not x.is_cpu"])
def test_an_arm_for_each_device_mixes_none(program: Program, test: str) -> None:
    assert program(WHITENED.format(test=test, moved=".cuda()")).reported("device-mismatch") == []


@pytest.mark.parametrize("test", ["x.is_cuda", "x.device.type == 'cuda'", "not x.is_cpu"])
def test_an_arm_for_cuda_that_forgets_an_operand_mixes(program: Program, test: str) -> None:
    reported = program(WHITENED.format(test=test, moved="")).reported("device-mismatch")

    assert reported == ["return torch.mm(torch.ones(2, 2), x)"]


def test_a_test_of_another_tensor_tells_nothing_of_this_one(program: Program) -> None:
    code = WHITENED.format(test="weight.is_cuda", moved=".cuda()")

    assert program(code).reported("device-mismatch") == ["return torch.mm(torch.ones(2, 2), x)"]
