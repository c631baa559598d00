"""Which dropout is applied in every mode of its module."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "functional-dropout-always-on"
CODE = """\
import torch
from torch import nn
from torch.nn import functional as F
class {name}(nn.Module):
    def __init__(self, rate=0.5):
        super().__init__()
        self.rate = rate
    def forward(self, x, targets=None):
        {body}
"""
CALLS = {
    "by its default": ("return F.dropout(x)", True),
    "of channels": ("return F.dropout2d(x, 0.1)", True),
    "in place": ("return F.dropout(x, p=self.rate, inplace=True)", True),
    "in attention": ("return F.scaled_dot_product_attention(x, x, x, dropout_p=self.rate)", True),
    "attention that drops nothing": ("return F.scaled_dot_product_attention(x, x, x, is_causal=True)", False),
    "of no torch": ("return G.dropout(x, 0.1)", False),
    "that has to be switched on": ("return F.alpha_dropout(x, 0.1)", False),
    "told by name": ("return F.dropout(x, 0.1, training=self.training)", False),
    "told in turn": ("return F.dropout(x, 0.1, self.training)", False),
    "switched on": ("return F.dropout(x, 0.1, True)", False),
    "told by anybody": ("return F.dropout(x, **self.options)", False),
    "of nothing": ("return F.dropout(x, 0.0)", False),
}
MODES = {
    "behind a test of the mode": ("if self.training:\n            x = F.dropout(x)\n        return x", False),
    "past a test of the mode": ("if not self.training: return x\n        return F.dropout(x)", False),
    "in a ternary": ("return F.dropout(x) if self.training else x", False),
    "behind a name for it": (
        "drop = self.training and x.ndim\n        if drop: x = F.dropout(x)\n        return x",
        False,
    ),
    "with targets": ("if targets is not None: x = F.dropout(x)\n        return x", False),
    "behind another test": ("if self.rate > 0: x = F.dropout(x)\n        return x", True),
    "a rate of the mode": ("p = self.rate if self.training else 0\n        return F.dropout(x, p)", False),
    "times the mode": ("return F.dropout(x, self.rate * self.training)", False),
    "in a loop": ("for _ in range(3): x = F.dropout(x, self.rate)\n        return x", True),
}
HELPERS = {
    "called": ("F.dropout(x, p)", "drop(x, 0.1)", True),
    "called with the rate of the module": ("F.dropout(x, p)", "drop(x, self.rate)", True),
    "called with a rate of another object": ("F.dropout(x, x.p)", "drop(x, 0.0)", True),
    "called in training": ("F.dropout(x, p)", "drop(x, 0.1) if self.training else x", False),
    "called with the mode": ("F.dropout(x, p)", "drop(x, self.rate if self.training else 0)", False),
    "handed the mode": ("F.dropout(x, 0.1, p)", "drop(x, self.training)", False),
    "called with nothing": ("F.dropout(x, p)", "drop(x, 0.0)", False),
    "not called": ("F.dropout(x, p)", "x", False),
}
NAMES = {"Net": True, "MCNet": False, "BayesianNet": False, "NoiseLayer": False, "Prenet": False, "Summarizer": True}


@pytest.mark.parametrize(("body", "is_found"), CALLS.values(), ids=CALLS)
def test_a_call_drops_that_nobody_tells_when(program: Program, body: str, is_found: bool) -> None:
    assert len(program(CODE.format(name="Net", body=body)).findings(RULE)) == is_found


@pytest.mark.parametrize(("body", "is_found"), MODES.values(), ids=MODES)
def test_what_is_up_to_the_mode_is_left_alone(program: Program, body: str, is_found: bool) -> None:
    assert len(program(CODE.format(name="Net", body=body)).findings(RULE)) == is_found


@pytest.mark.parametrize(("name", "is_found"), NAMES.items(), ids=NAMES)
def test_what_is_called_after_noise_is_left_alone(program: Program, name: str, is_found: bool) -> None:
    found = program(CODE.format(name=name, body="return F.dropout(x, self.rate)")).findings(RULE)

    assert len(found) == is_found


@pytest.mark.parametrize(("drops", "called", "is_found"), HELPERS.values(), ids=HELPERS)
def test_a_function_drops_where_a_forward_calls_it(program: Program, drops: str, called: str, is_found: bool) -> None:
    code = CODE.format(name="Net", body=f"return {called}")

    found = program(f"{code}def drop(x, p=0.5):\n    return {drops}\n").findings(RULE)

    assert len(found) == is_found


def test_a_rate_that_somebody_sets_later_may_be_none_in_evaluation(program: Program) -> None:
    code = CODE.format(name="Net", body="return F.dropout(x, self.rate)")

    found = program(f"{code}def evaluate(net):\n    net.rate = 0.0\n").findings(RULE)

    assert found == []


def test_what_is_off_until_somebody_asks_for_it_goes_on_then(program: Program) -> None:
    code = CODE.format(name="Net", body="return F.dropout(x, self.rate)").replace("rate=0.5", "rate=0.0")

    (found,) = program(f"{code}net = Net()\n").findings(RULE)

    assert found.severity.value == "warning"


@pytest.mark.parametrize(("given", "severity"), [("rate=rate", "warning"), ("rate=0.1", "error")])
def test_what_is_off_by_default_is_not_surely_switched_on(program: Program, given: str, severity: str) -> None:
    code = CODE.format(name="Net", body="return F.dropout(x, self.rate)").replace("rate=0.5", "rate=0.0")
    code += f"def pair(rate):\n    return Net(), Net({given})\n"

    (found,) = program(code).findings(RULE)

    assert found.severity.value == severity


USES = {
    "nothing": ("", "warning"),
    "its own constructor": ("class Other(nn.Module):\n    pass\n", "warning"),
    "what makes one": ("net = Net()\n", "error"),
    "what derives from it": ("class Wide(Net):\n    pass\n", "error"),
    "what publishes it": ("__all__ = ['Net']\n", "error"),
    "a table": ("NETS = {'net': Net}\n", "error"),
}


@pytest.mark.parametrize(("code", "severity"), USES.values(), ids=USES)
def test_a_class_that_nothing_mentions_may_be_used_by_nobody(program: Program, code: str, severity: str) -> None:
    net = CODE.format(name="Net", body="return F.dropout(x, 0.1)").replace("super()", "super(Net, self)")

    (found,) = program(f"{net}{code}").findings(RULE)

    assert found.severity.value == severity


def test_a_forward_that_is_no_modules_has_no_mode(program: Program) -> None:
    code = CODE.format(name="Net", body="return F.dropout(x)").replace("nn.Module", "object")

    assert program(code).findings(RULE) == []
