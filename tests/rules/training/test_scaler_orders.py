"""Which calls of a gradient scaler come at a time when it refuses them, or forgets its scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "grad-scaler-order"
CODE = """\
import torch
from torch import nn
{made}
def finish(optimizer, scaler):
    scaler.step(optimizer)
    scaler.update()
def train(model, loader, args, every, other, hook):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    others = torch.optim.SGD(other.parameters(), lr=0.1)
    scaler = make()
    for i, x in enumerate(loader):
        loss = model(x).mean()
        {round}
"""
MADE = "def make(): return torch.amp.GradScaler('cuda')"
SCALE, UNSCALE = "scaler.scale(loss).backward()", "scaler.unscale_(optimizer)"
STEP, UPDATE = "scaler.step(optimizer)", "scaler.update()"
NEXT = "\n        "
DUE = "if (i + 1) % every == 0:"
THROTTLED = [DUE, f"    {STEP}", f"    {UPDATE}"]

SCALERS = {
    "of torch.amp": (MADE, True),
    "by an option": ("def make(): return torch.cuda.amp.GradScaler(enabled=args.amp)", True),
    "of torch": ("def make(): return torch.GradScaler('cuda')", True),
    "or none": ("def make(): return torch.amp.GradScaler('cuda') if args.amp else None", True),
    "with one of its own for old versions": (
        "try: from torch.amp import GradScaler\nexcept ImportError:\n    class GradScaler: pass\n"
        "def make(): return GradScaler()",
        True,
    ),
    "or one of the project": (
        "class Own:\n    def step(self, x): pass\ndef make(): return torch.amp.GradScaler('cuda') if args.amp else Own()",
        False,
    ),
    "switched off": ("def make(): return torch.amp.GradScaler('cuda', enabled=False)", False),
    "of the project": ("class Own:\n    def step(self, x): pass\ndef make(): return Own()", False),
    "nobody knows": ("from elsewhere import make", False),
}
EACH = {
    "in every micro-batch": ([SCALE, UNSCALE, *THROTTLED], True),
    "where options say so": ([SCALE, "if args.clip:", f"    {UNSCALE}", *THROTTLED], True),
    "behind a flag": ([SCALE, UNSCALE, "is_due = i % every == 0", "if is_due:", f"    {STEP}; {UPDATE}"], True),
    "in a loop inside": (["for part in x:", f"    {SCALE}", f"    {UNSCALE}", STEP, UPDATE], True),
    "where a step is due": ([SCALE, f"{DUE} {UNSCALE}", *THROTTLED], False),
    "where something says so": ([SCALE, f"if hook.is_due(): {UNSCALE}", *THROTTLED], False),
    "where a state says so": ([SCALE, f"if hook.is_last: {UNSCALE}", *THROTTLED], False),
    "updated each time": ([SCALE, UNSCALE, f"{DUE} {STEP}", UPDATE], False),
    "updated otherwise": ([SCALE, UNSCALE, *THROTTLED, "else:", f"    {UPDATE}"], False),
    "updated where it is finite": ([SCALE, UNSCALE, "if x.isfinite().all():", f"    {STEP}; {UPDATE}"], False),
    "handed on": ([SCALE, UNSCALE, f"{DUE} finish(optimizer, scaler)"], False),
    "one optimizer each": (
        [SCALE, "for optimizer in (optimizer, others):", f"    {UNSCALE}", f"    {STEP}", UPDATE],
        False,
    ),
    "updated after all": ([SCALE, UNSCALE, f"{DUE} {STEP}", f"if i % 2 == 0: {UPDATE}"], True),
    "for the clip of the class": ([SCALE, "if hook.args.clip > 0:", f"    {UNSCALE}", *THROTTLED], True),
    "where a clip is computed": ([SCALE, "if hook.limit(i) > 0:", f"    {UNSCALE}", *THROTTLED], False),
    "by a hook": ([SCALE, UNSCALE, "hook(scaler)", *THROTTLED], False),
    "of what may be another one": ([SCALE, UNSCALE, "optimizer = others", *THROTTLED], False),
    "in a single round": (["for _ in range(1):", f"    {SCALE}", f"    {UNSCALE}", STEP, UPDATE], False),
    "until it is finite": (
        ["while True:", f"    {SCALE}", f"    {UNSCALE}", "    if x.isfinite(): break", STEP, UPDATE],
        False,
    ),
    "left at once": ([SCALE, UNSCALE, "break", STEP, UPDATE], False),
}
ORDERS = {
    "updated first": ([SCALE, UPDATE, STEP], [UPDATE]),
    "unscaled and updated first": ([SCALE, UNSCALE, UPDATE, STEP], [UPDATE]),
    "unscaled twice": ([SCALE, UNSCALE, UNSCALE, STEP, UPDATE], [UNSCALE]),
    "unscaled late": ([SCALE, STEP, UNSCALE, UPDATE], [UNSCALE]),
    "stepped twice": ([SCALE, STEP, SCALE, STEP, UPDATE], ["scaler.step(optimizer)"]),
    "updated first to a scale": ([SCALE, "scaler.update(2.0)", STEP], []),
    "updated where nothing was scaled": ([UPDATE, SCALE, STEP], []),
    "caught": (["try:", f"    {SCALE}; {UNSCALE}", f"    {UNSCALE}", "except RuntimeError: pass", STEP, UPDATE], []),
    "expected": ([SCALE, UNSCALE, "with pytest.raises(RuntimeError):", f"    {UNSCALE}", STEP, UPDATE], []),
    "updated by what is called": ([SCALE, UNSCALE, "hook.after(scaler)", UNSCALE, STEP, UPDATE], []),
    "updated by a function inside": (
        ["def again(): scaler.update()", SCALE, UNSCALE, "again()", UNSCALE, STEP, UPDATE],
        [],
    ),
    "of another optimizer by the same name": ([SCALE, UNSCALE, "optimizer = others", UNSCALE, STEP, UPDATE], []),
    "put off": ([SCALE, UNSCALE, f"hook(lambda: {UNSCALE})", STEP, UPDATE], []),
    "maybe unscaled before": ([SCALE, f"args.clip and {UNSCALE}", UNSCALE, STEP, UPDATE], []),
    "never updated": ([SCALE, STEP], [STEP]),
    "never updated for two": ([SCALE, STEP, "scaler.step(others)"], [STEP]),
    "never updated as far as one sees": ([SCALE, STEP, "hook(scaler)"], []),
    "made anew each time": (["scaler = make()", SCALE, STEP], []),
    "never updated after some": ([SCALE, DUE, f"    {STEP}"], [STEP]),
    "stepped directly": ([SCALE, "optimizer.step()"], ["optimizer.step()"]),
    "never scaled": (["loss.backward()", STEP, UPDATE], [STEP]),
    "never scaled before it is unscaled": (["loss.backward()", UNSCALE, STEP, UPDATE], [UNSCALE]),
    "scaled elsewhere": (["hook.scaled(scaler, loss).backward()", STEP, UPDATE], []),
    "scaled by a name": (
        [SCALE.replace("scaler.scale", "total = scaler.scale").replace(".back", "; total.back"), "optimizer.step()"],
        ["optimizer.step()"],
    ),
    "of no optimizer that is known": ([SCALE, "hook.step()"], []),
    "in order": ([SCALE, UNSCALE, STEP, UPDATE], []),
    "for two": ([SCALE, STEP, "scaler.scale(x).backward()", "scaler.step(others)", UPDATE], []),
    "updated between two": ([SCALE, STEP, UPDATE, SCALE, STEP, UPDATE], []),
    "unscaled in one of two arms": ([SCALE, f"if args.clip: {UNSCALE}", f"else: {UNSCALE}", STEP, UPDATE], []),
    "of two optimizers": ([SCALE, UNSCALE, "scaler.unscale_(others)", STEP, "scaler.step(others)", UPDATE], []),
    "stepped elsewhere": ([SCALE, "finish(optimizer, scaler)"], []),
    "stepped directly when unscaled": ([SCALE, UNSCALE, "optimizer.step()", UPDATE], []),
    "unscaled by hand": ([SCALE, "model.weight.grad.div_(scaler.get_scale())", "optimizer.step()"], []),
    "of gradients of its own": ([SCALE, STEP, UPDATE, "others.zero_grad()", "x.backward()", "others.step()"], []),
    "in another arm": (
        [f"if args.amp: {SCALE}", "else: loss.backward()", f"if args.amp: {STEP}; {UPDATE}", "else: optimizer.step()"],
        [],
    ),
}

TRAINER = """\
import torch
class Trainer:
    def __init__(self, model, args):
        self.model, self.args, self.clip = model, args, args.clip
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cuda")
    def fit(self, loader, every):
        for i, x in enumerate(loader):
            loss = self.step(x)
            {round}
    def step(self, x):
        loss = self.model(x).mean()
        self.scaler.scale(loss).backward()
        {step}
        return loss
    def log(self, loss):
        print(loss)
"""
OWN_STEP, OWN_UPDATE = "self.scaler.step(self.optimizer)", "self.scaler.update()"
OWN_UNSCALE = "self.scaler.unscale_(self.optimizer)"
OWN_THROTTLED = [DUE, f"    {OWN_STEP}", f"    {OWN_UPDATE}"]
METHODS = {
    "never updated": ([], [OWN_STEP], [OWN_STEP]),
    "updated by the caller": ([OWN_UPDATE], [OWN_STEP], []),
    "unscaled each time": ([OWN_UNSCALE, *OWN_THROTTLED], [], [OWN_UNSCALE]),
    "unscaled for the clip": (["if self.clip:", f"    {OWN_UNSCALE}", *OWN_THROTTLED], [], [OWN_UNSCALE]),
    "beside what is logged": ([OWN_UNSCALE, "self.log(loss)", *OWN_THROTTLED], [], [OWN_UNSCALE]),
    "beside what nobody knows": ([OWN_UNSCALE, "self.done(loss)", *OWN_THROTTLED], [], []),
    "beside what is given all": ([OWN_UNSCALE, "done(self)", *OWN_THROTTLED], [], []),
    "unscaled twice": ([], [OWN_UNSCALE, OWN_UNSCALE, OWN_STEP, OWN_UPDATE], [OWN_UNSCALE]),
    "in order": ([], [OWN_UNSCALE, OWN_STEP, OWN_UPDATE], []),
    "stepped by the caller": ([OWN_STEP, OWN_UPDATE], [], []),
    "stepped directly": ([], ["self.optimizer.step()"], ["self.optimizer.step()"]),
}


def _round(statements: list[str], made: str = MADE) -> str:
    return CODE.format(made=made, round=NEXT.join(statements))


@pytest.mark.parametrize(("made", "is_found"), SCALERS.values(), ids=SCALERS)
def test_only_a_scaler_that_is_sure_to_scale_counts(program: Program, made: str, is_found: bool) -> None:
    found = program(_round([SCALE, UNSCALE, UNSCALE, STEP, UPDATE], made)).reported(RULE)

    assert found == ([UNSCALE] if is_found else [])


@pytest.mark.parametrize(("statements", "is_found"), EACH.values(), ids=EACH)
def test_what_each_round_unscales_takes_an_update_in_each(
    program: Program, statements: list[str], is_found: bool
) -> None:
    assert program(_round(statements)).reported(RULE) == ([UNSCALE] if is_found else [])


@pytest.mark.parametrize(("statements", "reported"), ORDERS.values(), ids=ORDERS)
def test_a_round_scales_and_steps_and_updates(program: Program, statements: list[str], reported: list[str]) -> None:
    assert program(_round(statements)).reported(RULE) == reported


@pytest.mark.parametrize(("statements", "step", "reported"), METHODS.values(), ids=METHODS)
def test_a_scaler_of_an_object_is_followed_through_methods(
    program: Program, statements: list[str], step: list[str], reported: list[str]
) -> None:
    code = TRAINER.format(round=f"{NEXT}    ".join(statements) or "pass", step=NEXT.join(step) or "pass")

    assert program(code).reported(RULE) == reported


OTHERS, DISCRIMINATE = "scaler.step(others)", "scaler.scale(other(x).mean()).backward()"
BETWEEN = {
    "each step has its own": ([SCALE, STEP, UPDATE, OTHERS, UPDATE], True),
    "the second is by an option": ([SCALE, STEP, UPDATE, "if args.center:", f"    {OTHERS}", f"    {UPDATE}"], True),
    "both losses come first": ([SCALE, DISCRIMINATE, STEP, UPDATE, OTHERS, UPDATE], True),
    "the second is unscaled first": ([SCALE, "scaler.unscale_(others)", STEP, UPDATE, OTHERS, UPDATE], True),
    "once after both": ([SCALE, STEP, OTHERS, UPDATE], False),
    "a loss in between": ([SCALE, STEP, UPDATE, DISCRIMINATE, OTHERS, UPDATE], False),
    "one optimizer or the other": (
        ["if args.first:", f"    {SCALE}", f"    {STEP}", f"    {UPDATE}", "else:", f"    {SCALE}", f"    {OTHERS}", f"    {UPDATE}"],
        False,
    ),
    "the other in another loop": (
        [SCALE, STEP, UPDATE, "for part in x:", f"    {DISCRIMINATE}", f"    {OTHERS}", f"    {UPDATE}"],
        False,
    ),
    "a function scales in between": ([SCALE, STEP, UPDATE, "hook(scaler)", OTHERS, UPDATE], False),
}  # fmt: skip


@pytest.mark.parametrize(("lines", "is_found"), BETWEEN.values(), ids=BETWEEN)
def test_the_scale_stays_until_all_optimizers_have_stepped(program: Program, lines: list[str], is_found: bool) -> None:
    found = program(CODE.format(made=MADE, round=NEXT.join(lines))).reported(RULE)

    assert found == ([UPDATE] if is_found else [])
