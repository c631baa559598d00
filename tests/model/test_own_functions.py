"""What `apply` of a `torch.autograd.Function` of the project returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import HOST, Device, Tensor

Program: TypeAlias = Callable[[str], Checkout]

_SQUARE = """
    import torch
    from torch.autograd import Function

    class Square(Function):
        @staticmethod
        def forward(ctx, x, scale):
            {forward}

    net = torch.nn.Linear(4, 4)
    host = torch.zeros(4)
    use(Square.apply({given}, 2))
    """
_INPUTS = {
    "host": Tensor(HOST, False),
    "host.cuda()": Tensor(Device("cuda"), False),
    "net(host)": Tensor(HOST, True),
}


@pytest.mark.parametrize(("given", "expected"), _INPUTS.items(), ids=_INPUTS)
def test_it_returns_what_forward_makes_of_its_inputs(program: Program, given: str, expected: Tensor) -> None:
    project = program(_SQUARE.format(given=given, forward="return scale * x"))

    assert project.values(f"Square.apply({given}, 2)") == [expected]


@pytest.mark.parametrize("forward", ["return x.detach() * scale", "return torch.zeros(4)"])
def test_what_forward_does_not_record_may_have_a_graph(program: Program, forward: str) -> None:
    project = program(_SQUARE.format(given="net(host)", forward=forward))

    assert project.values("Square.apply(net(host), 2)") == [Tensor(HOST, None)]


def test_it_may_have_another_name(program: Program) -> None:
    code = _SQUARE.format(given="host", forward="return x * scale")

    project = program(code + "square = Square.apply\n    use(square(host.cuda(), 2))\n")

    assert project.values("square(host.cuda(), 2)") == [Tensor(Device("cuda"), False)]


def test_a_forward_beside_a_setup_is_given_no_context(program: Program) -> None:
    code = _SQUARE.replace("forward(ctx, x, scale)", "forward(x, scale)").format(given="host", forward="return x")
    setup = "    @staticmethod\n        def setup_context(ctx, inputs, output): pass\n\n    net"

    project = program(code.replace("net =", setup + " =", 1))

    assert project.values("Square.apply(host, 2)") == [Tensor(HOST, False)]


def test_a_method_called_apply_is_its_own(program: Program) -> None:
    code = _SQUARE.format(given="host", forward="return x")

    project = program(
        code.replace("class Square(Function):", "class Square(Function):\n        def apply(x, n): return n")
    )

    assert project.literals("Square.apply(host, 2)") == [2]


@pytest.mark.parametrize(("forward", "reported"), [("return x * scale", ["x + y"]), ("return x.cuda() * scale", [])])
def test_a_batch_stays_where_it_is(program: Program, forward: str, reported: list[str]) -> None:
    code = _SQUARE.format(given="host", forward=forward)

    project = program(code + "y = Square.apply(host, 3)\n    x = host.cuda()\n    x + y\n")

    assert project.reported("device-mismatch") == reported


_OP = """
    import torch

    class Op(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            {check}
            torch.cuda.current_stream(x.device)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            torch.cuda.set_device(grad.device)
            return grad * 2

    def double(x):
        {test}
        return Op.apply(x)
    """
_CALLS = ["torch.cuda.current_stream(x.device)", "torch.cuda.set_device(grad.device)"]


@pytest.mark.parametrize(
    ("check", "test", "reported"),
    [
        ("pass", "if not torch.cuda.is_available(): return x * 2", []),
        ("pass", "if not x.is_cuda: return x * 2", []),
        ("pass", "if x.dim() == 2: return x * 2", _CALLS),
        ("pass", "pass", _CALLS),
        ("assert x.is_cuda", "pass", []),
        ("if x.dim() == 2: return x", "pass", _CALLS),
        ("if not x.is_cuda: return x", "pass", _CALLS[1:]),
    ],
)
def test_apply_calls_forward_and_backward_comes_after(
    program: Program, check: str, test: str, reported: list[str]
) -> None:
    assert program(_OP.format(check=check, test=test)).reported("hardcoded-cuda") == reported


def test_each_call_of_apply_counts(program: Program) -> None:
    code = _OP.format(check="pass", test="if not x.is_cuda: return x * 2")

    project = program(code + "\n    def triple(x):\n        scaled = Op.apply\n        return scaled(x)\n")

    assert project.reported("hardcoded-cuda") == _CALLS
