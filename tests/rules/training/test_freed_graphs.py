"""Which `backward()` goes through what another one has freed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "freed-graph"
ROUND = """\
import torch
from torch import nn
import torch.nn.functional as F
from elsewhere import penalty
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)
    def forward(self, x):
        z = torch.relu(self.body(x))
        return self.a(z), self.b(z)
class Careful(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)
    def forward(self, x):
        return self.layer(x.detach())
def train(net, heads, careful, optimizer, loader, retain):
    for x, y in loader:
        {body}
        optimizer.step()
train(nn.Linear(2, 2), Net(), Careful(), torch.optim.SGD([]), [], True)
"""
AGAIN = {
    "one loss twice": "loss = F.mse_loss(net(x), y); loss.backward(); loss.backward()",
    "two losses": "p = net(x); F.mse_loss(p, y).backward(); F.l1_loss(p, y).backward()",
    "two heads": "p, q = heads(x); p.mean().tanh().backward(); q.mean().backward()",
    "through a name": "p = net(x); q = p * 2; loss = q.mean() + 1; p.mean().backward(); loss.backward()",
    "only the second retains": "p = net(x); p.mean().backward(); p.sum().backward(retain_graph=True)",
    "by a loss that is added to": "p = net(x); loss = p.mean(); loss += p.sum(); p.sum().backward(); loss.backward()",
}
ONCE = {
    "two forwards": "F.mse_loss(net(x), y).backward(); F.l1_loss(net(x), y).backward()",
    "detached": "p = net(x); F.mse_loss(p, y).backward(); careful.layer(p.detach()).mean().backward()",
    "detached by the other module": "p = net(x); F.mse_loss(p, y).backward(); careful(p).mean().backward()",
    "through numbers": "p = net(x); p.mean().backward(); (net(y) * p.mean().item()).mean().backward()",
    "retained": "p = net(x); p.mean().backward(retain_graph=True); p.sum().backward()",
    "perhaps retained": "p = net(x); p.mean().backward(retain_graph=retain); p.sum().backward()",
    "in one of two arms": "p = net(x)\n        if retain: p.mean().backward()\n        else: p.sum().backward()",
    "by what nobody can look into": "p = net(x); p.mean().backward(); (net(y) + penalty(p)).mean().backward()",
    "computed anew": "p = net(x); p.mean().backward(); p = net(x); p.sum().backward()",
    "perhaps computed anew": "p = net(x); p.mean().backward()\n        if retain: p = net(y)\n        p.sum().backward()",
    "two of a list": "p = [net(x).mean(), net(y).mean()]; p[0].backward(); p[1].backward()",
    "two of a comprehension": "p = [net(z).mean() for z in x]; p[0].backward(); p[1].backward()",
    "compared": "p = net(x); p.mean().backward(); (net(y) * (p > 0)).mean().backward()",
    "not recorded": "with torch.no_grad(): p = net(x)\n        (net(y) + p).sum().backward(); (net(x) + p).sum().backward()",
    "expected": "p = net(x); p.mean().backward()\n        try: p.sum().backward()\n        except RuntimeError: pass",
}


@pytest.mark.parametrize("body", AGAIN.values(), ids=AGAIN)
def test_what_two_losses_share_is_gone_through_again(program: Program, body: str) -> None:
    last = body.rpartition("; ")[2]

    assert program(ROUND.format(body=body.replace("; ", "\n        "))).reported(RULE) == [last]


@pytest.mark.parametrize("body", ONCE.values(), ids=ONCE)
def test_what_they_do_not_surely_share_is_left_alone(program: Program, body: str) -> None:
    assert program(ROUND.format(body=body.replace("; ", "\n        "))).reported(RULE) == []


def test_programs_that_freeze_parameters_are_left_alone(program: Program) -> None:
    code = ROUND.format(body=AGAIN["two losses"].replace("; ", "\n        "))

    assert program(f"{code}\nfor p in Net().parameters(): p.requires_grad = False\n").reported(RULE) == []


ROUNDS = """\
import torch
from torch import nn
from elsewhere import anew
class Keeper(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(2, 2)
        self.h = None
    def forward(self, x):
        {forward}
        return p
{methods}
def train(model, cell, loader):
    h, total = torch.zeros(2), 0
    for x in loader:
        {body}
train(Keeper(), nn.RNNCell(2, 2), [])
"""
OVER = {
    "a state": "h = cell(x, h); loss = h.mean(); loss.backward()",
    "a sum": "total += cell(x).mean(); total.backward()",
    "a sum that is written out": "total = total + cell(x).mean(); total.backward()",
    "an attribute": "loss = model(x).mean(); loss.backward()",
}
NOT_OVER = {
    "a new state": "h = cell(x, torch.zeros(2)); loss = h.mean(); loss.backward()",
    "a detached state": "h = cell(x, h); loss = h.mean(); loss.backward(); h = h.detach()",
    "a state by a helper": "h = cell(x, h); loss = h.mean(); loss.backward(); h = anew(h)",
    "now and then": "h = cell(x, h)\n        if x.done: h.mean().backward(); h = torch.zeros(2)",
    "in the last round": "h = cell(x, h); h.mean().backward(); break",
    "a new sum": "total = 0; total += cell(x).mean(); total.backward()",
    "a state of the inner loop": "h = torch.zeros(2)\n        for y in x: h = cell(y, h)\n        h.mean().backward()",
}
CARRYING = "p, self.h = self.rnn(x, self.h)"
KEPT_OTHERWISE = {
    "detached": ("p, h = self.rnn(x, self.h); self.h = h.detach()", ""),
    "started by a method": (CARRYING, "    def start(self): self.h = None\ndef begin(model): model.start()"),
    "started from outside": (CARRYING, "def start(model): model.h = None"),
    "detached in place": (CARRYING, "    def cut(self): self.h.detach_()"),
}


def _rounds(body: str, forward: str = CARRYING, methods: str = "") -> str:
    inner = "\n        "
    return ROUNDS.format(body=body.replace("; ", inner), forward=forward.replace("; ", inner), methods=methods)


@pytest.mark.parametrize("body", OVER.values(), ids=OVER)
def test_what_is_handed_to_the_next_round_is_gone_through_again(program: Program, body: str) -> None:
    assert program(_rounds(body)).reported(RULE) == [body.rpartition("; ")[2]]


@pytest.mark.parametrize("body", NOT_OVER.values(), ids=NOT_OVER)
def test_what_a_round_has_for_itself_is_left_alone(program: Program, body: str) -> None:
    assert program(_rounds(body)).reported(RULE) == []


@pytest.mark.parametrize(("forward", "methods"), KEPT_OTHERWISE.values(), ids=KEPT_OTHERWISE)
def test_an_attribute_that_somebody_starts_anew_is_left_alone(program: Program, forward: str, methods: str) -> None:
    assert program(_rounds(OVER["an attribute"], forward, methods)).reported(RULE) == []


SCORED = """\
import logging
import math
import torch
from elsewhere import anew
from torch import nn
def scored(p, q):
    return {scored}
def moved(p, q):
    return {moved}
class Score(nn.Module):
    def forward(self, p, q):
        return scored(p, q)
class Own(nn.Module):
    def forward(self, p, q):
        return self.inner(p, q)
    def inner(self, p, q):
        return scored(p, q)
def train(net, score, own, optimizer, loader):
    q = torch.zeros(2)
    for x in loader:
        loss, q = {call}
        loss.mean().backward()
        optimizer.step()
train(nn.Linear(2, 2), Score(), Own(), torch.optim.SGD([]), [])
"""
CALLS = ("score(net(q), x)", "own(net(q), x)")


@pytest.mark.parametrize("call", CALLS)
def test_a_result_that_a_function_of_the_module_detaches_is_left_alone(program: Program, call: str) -> None:
    code = SCORED.format(scored="(p - q).square(), p.detach()", moved="p", call=call)

    assert program(code).reported(RULE) == []


@pytest.mark.parametrize("call", CALLS)
def test_so_is_one_that_a_function_further_down_detaches(program: Program, call: str) -> None:
    code = SCORED.format(scored="(p - q).square(), moved(p, q)", moved="p.detach() + q", call=call)

    assert program(code).reported(RULE) == []


@pytest.mark.parametrize("call", CALLS)
def test_a_result_that_none_of_them_detaches_is_reported(program: Program, call: str) -> None:
    code = SCORED.format(scored="(p - q).square(), moved(p, q)", moved="p + q", call=call)

    assert program(code).reported(RULE) == ["loss.mean().backward()"]


@pytest.mark.parametrize("call", CALLS)
def test_a_result_of_what_nobody_can_look_into_is_left_alone(program: Program, call: str) -> None:
    code = SCORED.format(scored="(p - q).square(), anew(p)", moved="p", call=call)

    assert program(code).reported(RULE) == []


@pytest.mark.parametrize("call", CALLS)
def test_what_only_logs_or_counts_makes_no_difference(program: Program, call: str) -> None:
    code = SCORED.format(scored="(p - q).square() * math.sqrt(len(p)), moved(p, q)", moved="p + q", call=call)
    code = code.replace("def moved(p, q):", "def moved(p, q):\n    logging.info(len(p))")

    assert program(code).reported(RULE) == ["loss.mean().backward()"]


STATE = """\
import torch
from torch import nn
class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.mem = torch.zeros(2)
    def forward(self, x):
        {stored}
        return self.mem
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.memory = nn.Linear(2, 2), Memory()
    def forward(self, x):
        {returned}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.out = Block(), nn.Linear(2, 1)
    def forward(self, x):
        return self.out(self.block(x))
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.randn(4, 3, 2):
    {before}
    loss = net(x).mean()
    loss.backward()
    optimizer.step()
"""
KEPT, GIVEN = "self.mem = 0.9 * self.mem + x", "return self.memory(self.layer(x))"
WITHOUT = {
    "detached": ("self.mem = 0.9 * self.mem.detach() + x", GIVEN, "pass"),
    "reset": (KEPT, GIVEN, "net.block.memory.mem = torch.zeros(2)"),
    "of inputs only": (KEPT, "return self.layer(self.memory(x))", "pass"),
    "of a detached input": (KEPT, "return self.memory(self.layer(x).detach()) + self.layer(x)", "pass"),
}


@pytest.mark.parametrize("stored", [KEPT, "self.mem = torch.tanh(self.mem + x)", "self.mem = torch.cat([self.mem, x])"])
@pytest.mark.parametrize("returned", [GIVEN, "y = self.layer(x); y = self.memory(y); return y.relu()"])
def test_what_a_part_makes_of_its_input_is_gone_through_by_the_next_iteration(
    program: Program, stored: str, returned: str
) -> None:
    code = STATE.format(stored=stored, returned=returned, before="pass")

    assert program(code).reported(RULE) == ["loss.backward()"]


@pytest.mark.parametrize(("stored", "returned", "before"), WITHOUT.values(), ids=WITHOUT)
def test_a_state_without_the_graph_of_an_input_is_not_gone_through(
    program: Program, stored: str, returned: str, before: str
) -> None:
    assert program(STATE.format(stored=stored, returned=returned, before=before)).reported(RULE) == []


FORGOTTEN = STATE.replace(
    "    def forward(self, x):\n        {stored}",
    "    def restart(self):\n        self.mem = torch.zeros(2)\n    def forward(self, x):\n        {stored}",
)


@pytest.mark.parametrize(
    ("before", "found"),
    [("pass", ["loss.backward()"]), ("net.block.memory.restart()", []), ('getattr(net.block.memory, "restart")()', [])],
)
def test_a_method_that_resets_a_state_has_to_be_called(program: Program, before: str, found: list[str]) -> None:
    assert program(FORGOTTEN.format(stored=KEPT, returned=GIVEN, before=before)).reported(RULE) == found
