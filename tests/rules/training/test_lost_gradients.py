"""Which steps come to gradients that were zeroed before."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
DROPPED, FIRST = "dropped-gradients", "step-before-backward"
CODE = """\
import torch
from torch import nn
def go_back(loss): loss.backward()
def finish(loss): go_back(loss)
def train(model, loader, scaler, hook, other, every):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    others = torch.optim.SGD(other.parameters(), lr=0.1)
    for i, x in enumerate(loader):
        loss = model(x).mean()
        {round}
"""
ZERO, BACK, STEP = "optimizer.zero_grad()", "loss.backward()", "optimizer.step()"
NEXT = "\n        "
THROTTLED = f"if (i + 1) % every == 0:{NEXT}    "


def _round(*statements: str) -> str:
    return CODE.format(round=NEXT.join(statements))


BETWEEN = {
    "plain": ([BACK, ZERO, STEP], True),
    "by the module": ([BACK, "model.zero_grad()", STEP], True),
    "with a scaler": (["scaler.scale(loss).backward()", ZERO, "scaler.step(optimizer)"], True),
    "clipped between": ([BACK, ZERO, "nn.utils.clip_grad_norm_(model.parameters(), 1)", STEP], True),
    "under a block": (["with x:", f"    {BACK}", ZERO, STEP], True),
    "where a step is due": ([BACK, f"{THROTTLED}{ZERO}", f"    {STEP}"], True),
    "first": ([ZERO, BACK, STEP], False),
    "after": ([BACK, STEP, ZERO], False),
    "where a test lets it": ([BACK, f"if x.isnan().any(): {ZERO}", STEP], False),
    "of another optimizer": ([BACK, "others.zero_grad()", STEP], False),
    "of another module": ([BACK, "other.zero_grad()", STEP], False),
    "before another backward": ([BACK, ZERO, "x.backward()", STEP], False),
    "before a function that goes back": ([BACK, ZERO, "finish(loss)", STEP], False),
    "before what nobody knows": ([BACK, ZERO, "hook.run(loss)", STEP], False),
    "before what is put there": ([BACK, ZERO, "model.weight.grad = x", STEP], False),
    "after a step": ([BACK, STEP, ZERO, STEP], False),
    "in another arm": ([f"if x: {BACK}", "else:", f"    {ZERO}", f"    {STEP}"], False),
}
EACH = {
    "first": ([ZERO, BACK, f"{THROTTLED}{STEP}"], True),
    "last": ([BACK, f"{THROTTLED}{STEP}", ZERO], True),
    "by a flag": ([ZERO, BACK, "is_due = i % every == 0", f"if is_due: {STEP}"], True),
    "with or without a scaler": (
        [ZERO, BACK, f"{THROTTLED}if scaler: scaler.step(optimizer)", f"    else: {STEP}"],
        True,
    ),
    "in a loop inside": (["for part in x:", f"    {ZERO}", "    model(part).mean().backward()", STEP], True),
    "after the step": ([BACK, f"{THROTTLED}{STEP}", f"    {ZERO}"], False),
    "where another steps": ([ZERO, BACK, "others.step()", f"{THROTTLED}{STEP}"], False),
    "with gradients of its own": ([ZERO, BACK, f"{THROTTLED}x.backward()", f"    {STEP}"], False),
    "in some rounds": ([f"if x: {ZERO}", BACK, f"{THROTTLED}{STEP}"], False),
    "where a loss is bad": ([ZERO, BACK, f"if torch.isfinite(loss): {STEP}"], False),
    "before a loop inside": ([ZERO, "for part in x:", "    model(part).mean().backward()", STEP], False),
    "in a loop that reads them": (
        ["for part in x:", f"    {ZERO}", "    model(part).mean().backward()", "    print(model.weight.grad)", STEP],
        False,
    ),
    "in a loop before another backward": (
        ["for part in x:", f"    {ZERO}", "    model(part).mean().backward()", BACK, STEP],
        False,
    ),
}
STEPS = {
    "before": ([ZERO, STEP, BACK], True),
    "before all else": ([STEP, BACK, ZERO], True),
    "after": ([ZERO, BACK, STEP], False),
    "before they are zeroed": ([STEP, ZERO, BACK], False),
    "after others": ([ZERO, "finish(loss)", STEP, BACK], False),
    "once more": ([ZERO, STEP, BACK, STEP], False),
    "in another arm": ([f"if x: {ZERO}; {STEP}", f"else: {BACK}"], False),
}
SINCE = """\
import torch
from torch import nn
from somewhere import build
w, x = torch.randn(3, 1, requires_grad=True), torch.randn(5, 3)
{above}
model(x).sum().backward()
{between}
opt.step()
"""
FUNCTION, LAYER, SGD = "def model(x): return x @ w", "nn.Linear(3, 1)", "opt = torch.optim.SGD({}.parameters(), lr=0.1)"
OF_MODEL, ZERO_IT = SGD.format("model"), "model.zero_grad()"
SINCES = {
    "a function before": (FUNCTION, [f"model = {LAYER}", ZERO_IT, OF_MODEL], False),
    "a function before, by the optimizer": (FUNCTION, [f"model = {LAYER}", OF_MODEL, "opt.zero_grad()"], False),
    "another module before": (f"model = {LAYER}", [f"model = {LAYER}", OF_MODEL, "opt.zero_grad()"], False),
    "under a new name": (f"model = {LAYER}", [f"net = {LAYER}", SGD.format("net"), "net.zero_grad()"], False),
    "made by who knows": (FUNCTION, ["model = build()", OF_MODEL, ZERO_IT], False),
    "a function long before": (f"{FUNCTION}\nmodel = {LAYER}", [ZERO_IT, OF_MODEL], True),
    "a new optimizer alone": (f"model = {LAYER}", [OF_MODEL, "opt.zero_grad()"], True),
    "another name alone": (f"model = {LAYER}", ["net = model", SGD.format("net"), "net.zero_grad()"], True),
    "moved": (f"model = {LAYER}", ["model = model.to('cpu')", OF_MODEL, ZERO_IT], True),
    "of who knows, moved": ("model = build()", ["model = build(model)", OF_MODEL, ZERO_IT], True),
    "wrapped": (f"model = {LAYER}", ["model = nn.DataParallel(model)", OF_MODEL, ZERO_IT], True),
    "in some cases": (f"model = {LAYER}", [f"if x.any(): model = {LAYER}", OF_MODEL, ZERO_IT], True),
    "afterwards": (f"model = {LAYER}\n{OF_MODEL}", ["opt.zero_grad()", f"model = {LAYER}"], True),
}


@pytest.mark.parametrize(("above", "between", "is_found"), SINCES.values(), ids=SINCES)
def test_what_is_made_since_had_no_gradients(program: Program, above: str, between: list[str], is_found: bool) -> None:
    assert len(program(SINCE.format(above=above, between="\n".join(between))).findings(DROPPED)) == is_found


@pytest.mark.parametrize("outside", [True, False])
def test_a_model_of_each_round_accumulates_nothing(program: Program, outside: bool) -> None:
    made = f"model = {LAYER}\n{{}}{OF_MODEL}"
    checkout = program(f"""\
import torch
from torch import nn
{made.format("") if outside else "pass"}
for i in range(9):
    {"pass" if outside else made.format("    ")}
    opt.zero_grad()
    model(torch.ones(3)).sum().backward()
    if (i + 1) % 4 == 0: opt.step()
""")

    assert len(checkout.findings(DROPPED)) == outside


@pytest.mark.parametrize(("statements", "is_found"), BETWEEN.values(), ids=BETWEEN)
def test_what_is_zeroed_between_is_dropped(program: Program, statements: list[str], is_found: bool) -> None:
    assert len(program(_round(*statements)).findings(DROPPED)) == is_found


@pytest.mark.parametrize(("statements", "is_found"), EACH.values(), ids=EACH)
def test_what_each_round_zeroes_is_not_there_later(program: Program, statements: list[str], is_found: bool) -> None:
    assert len(program(_round(*statements)).findings(DROPPED)) == is_found


@pytest.mark.parametrize(("statements", "is_found"), STEPS.values(), ids=STEPS)
def test_a_step_before_the_gradients_finds_none(program: Program, statements: list[str], is_found: bool) -> None:
    assert len(program(_round(*statements)).findings(FIRST)) == is_found


def test_a_step_outside_any_loop_is_as_early(program: Program) -> None:
    checkout = program("""\
        import torch
        def update(optimizer, loss):
            optimizer.zero_grad()
            optimizer.step()
            loss.backward()
        """)

    assert checkout.reported(FIRST) == ["optimizer.step()"]
