"""Meters that are given a loss: some add it with its graph, some without."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

_METER = """\
import torch

class Meter:
    def __init__(self):
        self.total = 0

    def add(self, value, n=1):
{body}

model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
meter = Meter()
for x in torch.utils.data.DataLoader([]):
    loss = {loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    meter.add(loss)
"""
KNOWN, OPEN = "model(x).sum()", "criterion(x)"

WITHOUT_GRAPH = {
    "data": "value = value.data.sum()\nself.total += value",
    "where it is large": "value = value.greater(1)\nself.total += value",
    "a number": "value = value.item()\nself.total += value",
    "a multiple": "value = value.detach()\nself.total += value * n",
    "another name": "plain = value.detach().sum()\nself.total += plain",
    "a number of a tensor": "if isinstance(value, torch.Tensor):\n    value = value.item()\nself.total += value",
    "a number of a tensor elsewhere": "if torch.is_tensor(value):\n    value = value.item()\nself.total += value * n",
}


@pytest.mark.parametrize("loss", [KNOWN, OPEN])
@pytest.mark.parametrize("body", WITHOUT_GRAPH.values(), ids=WITHOUT_GRAPH)
def test_a_meter_that_lets_go_of_the_graph_keeps_none(program: Program, body: str, loss: str) -> None:
    code = _METER.format(body=indent(body, " " * 8), loss=loss)

    assert program(code).reported("kept-graph") == []


WITH_GRAPH = {
    "rounded": ("value = value.round()\nself.total += value", "self.total += value"),
    "itself": ("self.total += value", "meter.add(loss)"),
    "a multiple": ("self.total += value * n", "meter.add(loss)"),
    "freed too late": ("self.total += value\nvalue = value.detach()", "meter.add(loss)"),
    "freed now and then": ("if n > 1:\n    value = value.detach()\nself.total += value", "meter.add(loss)"),
    "its own multiple": ("value = value * n\nself.total += value", "self.total += value"),
    "a multiple by another name": ("weighted = value * n\nself.total += weighted", "self.total += weighted"),
}


@pytest.mark.parametrize(("body", "reported"), WITH_GRAPH.values(), ids=WITH_GRAPH)
def test_a_meter_that_adds_the_loss_keeps_its_graph(program: Program, body: str, reported: str) -> None:
    code = _METER.format(body=indent(body, " " * 8), loss=KNOWN)

    assert program(code).reported("kept-graph") == [reported]


def test_a_loss_that_is_differentiated_carries_a_graph_whatever_it_is(program: Program) -> None:
    code = _METER.format(body=" " * 8 + "self.total += value", loss=OPEN)

    assert program(code).reported("kept-graph") == ["meter.add(loss)"]


PLAIN = """\
from elsewhere import model, loss_of, loader, optimizer
total = 0
for x in loader:
    loss = loss_of(model(x))
    if model.training:
        loss.backward()
        optimizer.step()
    {freed}
    total += loss
print(total)
"""


@pytest.mark.parametrize(
    ("freed", "kept"), [("loss = loss.detach().cpu()", []), ("loss = loss * 2", ["total += loss"])]
)
def test_a_name_is_what_it_was_given_last(program: Program, freed: str, kept: list[str]) -> None:
    assert program(PLAIN.format(freed=freed)).reported("kept-graph") == kept


FREED_IN_AN_ARM = """\
from torch.nn import functional as F
def calculate(reps, labels, with_backward=False):
    losses = []
    for rep, label in zip(reps, labels):
        loss = F.cross_entropy(rep, label)
        if with_backward:
            loss.backward()
            {freed}
        losses.append(loss)
    return sum(losses)
"""


@pytest.mark.parametrize(
    ("freed", "kept"),
    [
        ("loss = loss.detach()", []),
        ("loss = loss.detach().requires_grad_(False)", []),
        ("loss = loss.detach().requires_grad_()", ["losses.append(loss)"]),
        ("loss = loss * 2", ["losses.append(loss)"]),
        ("pass", ["losses.append(loss)"]),
    ],
)
def test_a_loss_that_is_detached_wherever_it_is_differentiated_is_not_kept(
    program: Program, freed: str, kept: list[str]
) -> None:
    assert program(FREED_IN_AN_ARM.format(freed=freed)).reported("kept-graph") == kept


REPLACED = """\
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    def forward(self, x):
        return self.layer(x), self.layer(x)
class Other(nn.Module):
    def forward(self, x):
        return x
def train(loader, optimizer, counting):
    net, other, total = nn.DataParallel(Net()), Other(), 0
    for x in loader:
        {replaced}
        loss, count = net(x)
        total += count
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("replaced", "kept"),
    [
        ("net.module.forward = counting", []),
        ("other.forward = counting", ["total += count"]),
        ("pass", ["total += count"]),
    ],
)
def test_nobody_knows_what_a_module_returns_once_its_forward_is_replaced(
    program: Program, replaced: str, kept: list[str]
) -> None:
    assert program(REPLACED.format(replaced=replaced)).reported("kept-graph") == kept


EVALUATED = """\
from torch import nn
class Nets(nn.Module):
    def __init__(self):
        super().__init__()
        self.nets = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
    def encode(self, xs):
        self.eval()
        kept = []
        {loops}
            kept.append(hidden)
        return kept
"""


@pytest.mark.parametrize(
    ("loops", "kept"),
    [
        ("for i in range(3):\n            hidden = self.nets[i](xs[i])", []),
        ("for net in self.nets:\n            hidden = net(xs)", []),
        ("for x in xs:\n            hidden = self.nets[0](x)", ["kept.append(hidden)"]),
        ("for x in xs:\n          for net in self.nets:\n            hidden = net(x)", ["kept.append(hidden)"]),
    ],
)
def test_rounds_of_modules_are_no_batches(program: Program, loops: str, kept: list[str]) -> None:
    assert program(EVALUATED.format(loops=loops)).reported("kept-graph") == kept


PARTS = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.parts = torch.zeros(2, 2)
    def forward(self, x):
        y = self.layer(x)
        {start}
        {parts}[..., 0] += y[..., :1]
        return {parts} + y.sum()
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader([]):
    loss = model(x).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("parts", "start", "kept"),
    [
        ("parts", "parts = torch.zeros(2, 2)", []),
        ("parts", "parts: torch.Tensor = torch.zeros(2, 2)", []),
        ("self.parts", "self.parts: torch.Tensor = torch.zeros(2, 2)", []),
        ("self.parts", "pass", ["self.parts[..., 0] += y[..., :1]"]),
        ("self.parts", "self.parts: torch.Tensor", ["self.parts[..., 0] += y[..., :1]"]),
    ],
)
def test_what_a_function_makes_anew_does_not_outlive_it(
    program: Program, parts: str, start: str, kept: list[str]
) -> None:
    assert program(PARTS.format(parts=parts, start=start)).reported("kept-graph") == kept


GATHERED = """\
import torch
model = torch.nn.Linear(2, 2).cuda()
found, seen = None, torch.zeros(0, 2).cuda()
model.eval()
for i, x in enumerate(torch.utils.data.DataLoader([])):
    out = model(x.cuda())
    {}
"""


@pytest.mark.parametrize(
    "line",
    [
        "seen = torch.cat((seen, out))",
        "seen = torch.cat([out, seen], dim=0)",
        "seen = torch.vstack((seen, out * 2))",
        "found = out if found is None else torch.cat((found, out))",
    ],
)
def test_who_joins_outputs_to_those_before_keeps_their_graphs(program: Program, line: str) -> None:
    assert program(GATHERED.format(line)).reported("kept-graph") == [line]


FIRST = """if {test}:
        found = out
    else:
        found = torch.cat((found, out), 0)"""


@pytest.mark.parametrize("test", ["found is None", "len(found) == 0", "not found"])
def test_what_starts_with_the_first_output_is_not_started_anew(program: Program, test: str) -> None:
    code = GATHERED.format(FIRST.format(test=test))

    assert program(code).reported("kept-graph") == ["found = torch.cat((found, out), 0)"]


@pytest.mark.parametrize(
    "line",
    [
        "seen = torch.cat((seen, out.detach()))",
        "seen = torch.cat((out, out))",
        "joined = torch.cat((seen, out))",
        "seen = x.cuda()\n    seen = torch.cat((seen, out))",
        FIRST.format(test="i % 10 == 0"),
    ],
)
def test_what_joins_no_graphs_or_starts_anew_keeps_none(program: Program, line: str) -> None:
    assert program(GATHERED.format(line)).reported("kept-graph") == []


TAKEN_APART = """\
import torch
model = torch.nn.Linear(2, 2)
model.eval()
{before}
for x, y in torch.utils.data.DataLoader([]):
    {first}
    z = model(x)
    for i in range(10):
        {each}
"""
ROWS = {
    "weighted": ("", "rows = torch.zeros(10, 2)", "rows[i] = i * z[0] + (10 - i) * z[1]", False),
    "picked": ("", "rows = []", "rows.append(z[i])", False),
    "by a name": ("", "rows = []", "row = z[i]\n        rows.append(row)", False),
    "kept from batch to batch": ("rows = []", "pass", "rows.append(z[i])", True),
    "computed in each round": ("", "rows = []", "rows.append(model(x[i]))", True),
    "computed in each round, by a name": ("", "rows = []", "out = model(x[i])\n        rows.append(out)", True),
}


@pytest.mark.parametrize(("before", "first", "each", "is_kept"), ROWS.values(), ids=ROWS)
def test_rounds_that_take_apart_what_a_batch_gave_keep_no_more_of_it(
    program: Program, before: str, first: str, each: str, is_kept: bool
) -> None:
    code = TAKEN_APART.format(before=before, first=first, each=each)

    assert bool(program(code).reported("kept-graph")) is is_kept


SCALES = """\
import torch
from torch import nn
{of}
    {switched}.eval()
    total = 0
    for _ in range(2):
        total += nn.functional.l1_loss(features(x), y)
    return total
features = nn.Conv2d(3, 8, 3)
{used}
"""
FORWARD = "class Loss(nn.Module):\n  def forward(self, x, y):"
HELPER = "def loss(x, y):"
ADDED = "total += nn.functional.l1_loss(features(x), y)"
SUMMED = {
    "forward": (FORWARD, "pass", []),
    "evaluate": (FORWARD.replace("forward", "evaluate"), "pass", [ADDED]),
    "a function": (HELPER, "print(loss(x, y))", [ADDED]),
    "differentiated by who calls it": (HELPER, "loss(x, y).backward()", []),
    "differentiated by who calls it, later": (HELPER, "found = loss(x, y) + 1\nfound.backward()", []),
    "next to what is differentiated": (HELPER, "found = loss(x, y)\nother(x).backward()", [ADDED]),
}


@pytest.mark.parametrize(("of", "used", "kept"), SUMMED.values(), ids=SUMMED)
def test_rounds_whose_sum_is_differentiated_evaluate_nothing(
    program: Program, of: str, used: str, kept: list[str]
) -> None:
    code = SCALES.format(of=of, switched="features", used=used)

    assert program(code).reported("kept-graph") == kept


_SEVERAL = """\
import torch
nets = [torch.nn.Linear(3, 2) for _ in range(3)]
optimizer = torch.optim.SGD([p for net in nets for p in net.parameters()], lr=0.1)
{outside}
for x in torch.utils.data.DataLoader([]):
    {each_step}
    for net in nets:
        {each_net}
        loss = net(x)[:, 0]
        total += loss
        loss.sum().backward()
        {after_each}
    optimizer.step()
"""
_START = "total = torch.zeros(5)"


@pytest.mark.parametrize(
    ("outside", "each_step", "each_net", "after_each", "kept"),
    [
        ("", _START, "", "", []),
        ("", "", _START, "", []),
        (_START, "", "", "", ["total += loss"]),
        ("", _START, "", "optimizer.step()", ["total += loss"]),
    ],
    ids=["in each round that steps", "for each gradient", "nowhere", "outside the loop that steps"],
)
def test_a_sum_over_the_gradients_of_one_step_is_made_anew(
    program: Program, outside: str, each_step: str, each_net: str, after_each: str, kept: list[str]
) -> None:
    given = [line or "pass" for line in (outside, each_step, each_net, after_each)]
    names = ("outside", "each_step", "each_net", "after_each")
    code = _SEVERAL.format(**dict(zip(names, given, strict=True)))

    assert program(code).reported("kept-graph") == kept


FROZEN = """\
import copy
import torch
def score(options, batches):
    net = copy.deepcopy(options.net).eval().requires_grad_({wanted}).to(options.device)
    total = 0
    for x in batches:
        total += net.map(x)
    return total
"""


@pytest.mark.parametrize("wanted", ["False", "True", ""])
def test_what_may_be_a_module_is_no_tensor_because_it_is_told_whether_it_wants_gradients(
    program: Program, wanted: str
) -> None:
    assert program(FROZEN.format(wanted=wanted)).reported("kept-graph") == []


UNRECORDED = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.seen = []

    def forward(self, x):
        y = self.layer(x)
        {returned}

model = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def validate():
    model.eval()
    losses = []
    for x, y in torch.utils.data.DataLoader([]):
        {under}:
            {called}
        loss = criterion(pred.view(-1, 2), y.reshape(-1))
        losses.append(loss)
    return losses

for x, y in torch.utils.data.DataLoader([]):
    optimizer.zero_grad()
    model(x)[0].sum().backward()
    optimizer.step()
    validate()
"""
GIVEN_BACK = {
    "a tuple": ("return y, 3", "pred, _ = model(x)"),
    "an item": ("return y, 3", "pred = model(x)[0]"),
    "an item later on": ("return y, 3", "out = model(x)\n            pred = out[0]"),
    "a tuple within": ("return 3, (y, 4)", "_, (pred, _) = model(x)"),
    "a dict": ("out = {'pred': y}\n        return out", "pred = model(x)['pred']"),
}


@pytest.mark.parametrize(
    ("under", "kept"), [("with torch.no_grad()", []), ("if x is not None", ["losses.append(loss)"])]
)
@pytest.mark.parametrize(("returned", "called"), GIVEN_BACK.values(), ids=GIVEN_BACK)
def test_what_a_call_under_no_grad_gives_back_has_no_graph_in_any_container(
    program: Program, returned: str, called: str, under: str, kept: list[str]
) -> None:
    code = UNRECORDED.format(returned=returned, under=under, called=called)

    assert program(code).reported("kept-graph") == kept


def test_what_a_module_kept_before_has_its_graph_under_no_grad_as_well(program: Program) -> None:
    code = UNRECORDED.format(
        returned="self.seen.append(y)\n        return y, 3\n\n    def kept(self):\n        return self.seen",
        under="with torch.no_grad()",
        called="pred = model.kept()[0]",
    )

    assert program(code).reported("kept-graph") == ["self.seen.append(y)", "losses.append(loss)"]


ROLLOUT = """\
import torch
from torch import nn

class Rollout:
    def __init__(self):
        self.values = []
    def store(self, value):
        self.values.append(value)
    def sample(self):
        return {given}
    def clear(self):
        self.values.clear()

class Agent:
    def __init__(self, make):
        self.model = nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.rollout = make()
    def learn(self, returns):
        values = self.rollout.sample()
        loss = {loss}
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
    def fit(self, states):
        for state in states:
            value = self.model(state)
            self.rollout.store(value)
            if state.sum() > 8:
                self.learn(state)
                self.rollout.clear()

Agent(lambda: Rollout()).fit(torch.utils.data.DataLoader([]))
"""
DIFFERENTIATED = {
    "all at once": ("torch.cat(self.values)", "(returns - values).square().mean()"),
    "beside another": ("len(self.values), torch.stack(self.values)", "values[1].sum()"),
}
NOT_DIFFERENTIATED = {
    "not given out": ("torch.ones(1)", "self.model(returns).sum() + values"),
    "only looked at": ("torch.cat(self.values)", "self.model(returns).sum()"),
    "given to the model again": (
        "list(enumerate(self.values))",
        "self.model(torch.stack([one[0] for one in values])).sum()",
    ),
    "detached where it is used": (
        "len(self.values), torch.stack(self.values)",
        "(self.model(values[0]) - values[1].detach()).sum()",
    ),
}


@pytest.mark.parametrize(("given", "loss"), DIFFERENTIATED.values(), ids=DIFFERENTIATED)
def test_what_a_rollout_gives_to_the_loss_keeps_its_graph_on_purpose(program: Program, given: str, loss: str) -> None:
    assert program(ROLLOUT.format(given=given, loss=loss)).reported("kept-graph") == []


@pytest.mark.parametrize(("given", "loss"), NOT_DIFFERENTIATED.values(), ids=NOT_DIFFERENTIATED)
def test_what_no_loss_is_given_is_kept_for_nothing(program: Program, given: str, loss: str) -> None:
    found = program(ROLLOUT.format(given=given, loss=loss)).reported("kept-graph")

    assert found == ["self.rollout.store(value)"]


BLENDED = """\
import torch
from torch import nn

model = nn.Linear(2, 2)

def show(batch):
    model.eval()
    first, last = model(batch), model(batch + 1)
    shown = []
    for part in torch.linspace(0, 1, 9):
        {made}
        shown.append({kept})
    return torch.cat(shown)

show(torch.zeros(1, 2))
"""


def test_what_a_round_only_blends_keeps_no_more_of_a_model(program: Program) -> None:
    code = BLENDED.format(made="between = part * last + (1 - part) * first", kept="between[None]")

    assert program(code).reported("kept-graph") == []


STATE = """\
import torch
from torch import nn

class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.mem = 0.0
    def reset(self):
        self.mem = 0.0
    def forward(self, x):
        self.mem = 0.9 * self.mem + x
        return self.mem

layer, memory = nn.Linear(2, 2), Memory()
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for epoch in range(9):
{epoch}
    for x in torch.utils.data.DataLoader([]):
        {step}
        loss = memory(layer(x)).sum()
        loss.backward(retain_graph=True)
        optimizer.step()
"""


def test_a_state_that_is_reset_with_every_step_holds_one_graph(program: Program) -> None:
    assert program(STATE.format(epoch="", step="memory.reset()")).reported("kept-graph") == []


def test_a_state_that_is_reset_with_every_epoch_holds_the_graphs_of_its_steps(program: Program) -> None:
    code = STATE.format(epoch="    memory.reset()", step="pass")

    assert program(code).reported("kept-graph") == ["loss = memory(layer(x)).sum()"]


def test_a_state_that_is_reset_as_one_of_all_parts_holds_one_graph(program: Program) -> None:
    code = STATE.format(epoch="", step="for part in nn.ModuleList([memory]).modules(): part.reset()")

    assert program(code).reported("kept-graph") == []
