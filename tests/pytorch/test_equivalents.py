"""What a fix writes for a deprecated call, run beside that call on random input."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.fixing.draft import Draft
from torchlint.pytorch.deprecated import DEPRECATED
from torchlint.pytorch.equivalents import EQUIVALENTS

torch: Any = pytest.importorskip("torch", minversion="2.9", reason="it is torch that says so")
Program: TypeAlias = Callable[[str], Checkout]
RULES = ("removed-symbol", "deprecated-symbol")
SEEDS = range(3)

# Each is run with random `a` and `b`, square and positive definite, and vectors `u` and `v`.
SAME = (
    "torch.cholesky(a)",
    "torch.cholesky(a, upper=True)",
    "torch.cholesky(a, upper=False)",
    "torch.qr(a)",
    "torch.qr(a[:, :2])",
    "torch.qr(a[:, :2], some=False)",
    "torch.ger(u, v)",
    "torch.chain_matmul(a, b)",
    "torch.chain_matmul(a, b, a)",
    "functorch.vmap(torch.dot)(a, b)",
    "functorch.vmap(torch.mul, in_dims=(0, None))(a, u)",
    "functorch.grad(lambda x: x.sin().sum())(u)",
    "functorch.grad_and_value(lambda x: x.sin().sum())(u)",
    "functorch.vjp(torch.sin, u)[0]",
    "functorch.jvp(torch.sin, (u,), (v,))",
    "functorch.jacrev(torch.sin)(u)",
    "functorch.jacfwd(torch.sin)(u)",
    "functorch.hessian(lambda x: x.sin().sum())(u)",
    "functorch.functionalize(torch.sin)(u)",
    "torch.nn.functional.upsample(a[None, None], scale_factor=2)",
    "torch.nn.functional.upsample_nearest(a[None, None], scale_factor=2)",
)
DIFFERENT = (
    "torch.cholesky(a, True)",
    "torch.qr(a, False)",
    "torch.qr(a, some=flag)",
    "torch.chain_matmul(*[a, b])",
    "torch.range(0, 3)",
    "torch.triangular_solve(u[:, None], a)",
    "torch.lu(a)",
    "torch.svd(a)",
    "torch.norm(a)",
    "torch.symeig(a)",
    "torch.symeig(a, eigenvectors=flag)",
    "torch.symeig(a, True)",
    "torch.lstsq(u, a)",
    "torch.solve(u, a)",
    "torch.jit.script(torch.nn.ReLU())",
)


def fixed(program: Program, expression: str) -> str | None:
    """Return the expression that the fix writes, None without one."""
    code = f"import functorch\nimport torch\nflag = make()\nr = {expression}\n"
    findings = [one for rule in RULES for one in program(code).findings(rule)]
    assert findings, expression
    fixes = [one.fix for one in findings if one.fix is not None]
    if not fixes:
        return None
    draft = Draft("main.py", code.encode())
    return draft.edited(fixes[0].edits).decode().splitlines()[-1].removeprefix("r = ")


def values_of(expression: str, seed: int) -> list[Any]:
    """Return the tensors that an expression makes of random input."""
    torch.manual_seed(seed)
    made = torch.randn(2, 4, 4, dtype=torch.float64)
    a, b = made @ made.mT + torch.eye(4)
    u, v = torch.randn(2, 4, dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = eval(expression, {"torch": torch, "functorch": pytest.importorskip("functorch")}, locals())
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("expression", SAME)
def test_what_is_written_instead_does_the_same(program: Program, expression: str) -> None:
    instead = fixed(program, expression)

    assert instead is not None
    assert instead != expression
    for seed in SEEDS:
        for old, new in zip(values_of(expression, seed), values_of(instead, seed), strict=True):
            torch.testing.assert_close(new, old)


@pytest.mark.parametrize("expression", DIFFERENT)
def test_what_may_do_something_else_is_not_written_anew(program: Program, expression: str) -> None:
    assert fixed(program, expression) is None


def test_the_eigenvectors_are_those_of_the_upper_triangle(program: Program) -> None:
    # What `symeig` did: https://docs.pytorch.org/docs/1.8.0/generated/torch.symeig.html
    instead = fixed(program, "torch.symeig(a.triu(), eigenvectors=True)")

    assert instead is not None
    for seed in SEEDS:
        (a,) = values_of("a", seed)
        values, vectors = values_of(instead, seed)
        torch.testing.assert_close(a @ vectors, vectors * values)
        assert (values.diff() >= 0).all()


def test_each_equivalent_is_run(program: Program) -> None:
    run = {expression.partition("(")[0] for expression in SAME} | {"torch.symeig"}
    functorch = {name for name, one in DEPRECATED.items() if name.startswith("functorch.") and one.same}

    assert EQUIVALENTS.keys() | functorch <= run
