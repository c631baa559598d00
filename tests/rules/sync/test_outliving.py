"""Lists and sums of the file, or of the function around a step, that outlive the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

_STEPS = """\
import torch
{of_file}
def main(model, optimizer, batches):
    {of_function}
    def step(x):
        {first}
        loss = model(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {line}
    for x in batches:
        step(x)
        {after}
"""


def _steps(line: str, of_file: str = "", of_function: str = "pass", first: str = "pass", after: str = "pass") -> str:
    return _STEPS.format(line=line, of_file=of_file, of_function=of_function, first=first, after=after)


APPENDED = "seen.append(loss)"
LOG = "seen = []\n    def log(value):\n        seen.append((1, value))"
OUTLIVING = {
    "a list of the function": (_steps(APPENDED, of_function="seen = []"), APPENDED),
    "a list of the file": (_steps(APPENDED, of_file="seen = []"), APPENDED),
    "a sum of the function": (_steps("seen += loss", of_function="seen = 0", first="nonlocal seen"), "seen += loss"),
    "a sum of the file": (_steps("seen += loss", of_file="seen = 0", first="global seen"), "seen += loss"),
    "by another function": (_steps("log(loss)", of_function=LOG), "log(loss)"),
}


@pytest.mark.parametrize(("code", "kept"), OUTLIVING.values(), ids=OUTLIVING)
def test_a_variable_around_the_step_outlives_it(program: Program, code: str, kept: str) -> None:
    assert program(code).reported("kept-graph") == [kept]


SHORT_LIVED = {
    "numbers": _steps("seen.append(loss.item())", of_file="seen = []"),
    "the last one": _steps("seen['loss'] = loss", of_function="seen = {}"),
    "emptied after the step": _steps(APPENDED, of_file="seen = []", after="seen.clear()"),
    "anew after the step": _steps(APPENDED, of_function="seen = []", after="seen = []"),
    "anew in the step": _steps(APPENDED, of_function="seen = []", first="nonlocal seen; seen = []"),
    "of the step": _steps(APPENDED, of_function="seen = []", first="seen = []"),
    "differentiated around": _steps(APPENDED, of_function="seen = []", after="sum(seen).backward()"),
    "by another function, of numbers": _steps("log(loss.item())", of_function=LOG),
    "by nobody": _steps("seen.append(loss)"),
}


@pytest.mark.parametrize("code", SHORT_LIVED.values(), ids=SHORT_LIVED)
def test_what_starts_with_every_step_or_holds_numbers_keeps_no_graphs(program: Program, code: str) -> None:
    assert program(code).reported("kept-graph") == []


_ACTOR = """\
import torch
from torch import nn
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.out, self.kept = nn.Linear(4, 1), []
    def forward(self, state):
        return self.out(state)
    def forget(self):
        self.kept.clear()
    def learn(self, optimizer):
        {own}
        optimizer.step()
critic = Critic()
optimizer = torch.optim.SGD(critic.parameters(), 0.1)
def update(net):
    losses = []
    for value, reward in zip({kept}, [1, 2]):
        losses.append((value - reward) ** 2)
    optimizer.zero_grad()
    torch.stack(losses).sum().backward()
    optimizer.step()
    {emptied}
for episode in range(3):
    for step in range(5):
        value = critic(torch.rand(4))
        critic.kept.append(value)
    {call}
"""


def _actor(kept: str = "[value]", emptied: str = "pass", call: str = "update(critic)", own: str = "pass") -> str:
    return _ACTOR.format(kept=kept, emptied=emptied, call=call, own=own)


GONE_BACK_THROUGH = {
    "by the same name": _actor(kept="critic.kept", emptied="drop(critic)"),
    "by a parameter": _actor(kept="net.kept", emptied="drop(net)"),
    "by another name": _actor(kept="saved", emptied="drop(net)").replace("losses = []", "saved, losses = net.kept, []"),
    "in its class": _actor(call="critic.learn(optimizer)", own="torch.stack(self.kept).sum().backward()"),
    "summed up": _actor(kept="critic.kept", emptied="drop(critic)").replace("torch.stack(losses).sum()", "sum(losses)"),
}


@pytest.mark.parametrize("code", GONE_BACK_THROUGH.values(), ids=GONE_BACK_THROUGH)
def test_what_another_function_differentiates_is_used_up_there(program: Program, code: str) -> None:
    assert program(code).reported("kept-graph") == []


EMPTIED = {
    "by the same name": _actor(emptied="del critic.kept[:]"),
    "by a parameter": _actor(emptied="net.kept = []"),
    "by a method": _actor(emptied="net.forget()"),
}


@pytest.mark.parametrize("code", EMPTIED.values(), ids=EMPTIED)
def test_what_a_function_of_the_step_empties_does_not_outlive_it(program: Program, code: str) -> None:
    assert program(code).reported("kept-graph") == []


_DECODER = """\
import torch
from torch import nn
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.score, self.seen = nn.Linear(4, 4), 0
    def start(self, x):
        self.seen = torch.zeros_like(x)
    def forward(self, x, frame):
        {test}
            {start}
        found = self.score(x + self.seen)
        self.seen = self.seen + found
        return found
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
    def forward(self, x):
        return sum(self.attention(x, frame).sum() for frame in range(8))
net = Decoder()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
{before}
for x in torch.utils.data.DataLoader([torch.rand(4)]):
    loss = net(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
STARTED = {
    "by a method, with the first part of a sequence": ("if frame == 0:", "self.start(x)", "", []),
    "itself, with the first part of a sequence": ("if frame == 0:", "self.seen = torch.zeros_like(x)", "", []),
    "by a method, before all steps": (
        "if False:",
        "pass",
        "net.attention.start(torch.rand(4))",
        ["self.seen = self.seen + found"],
    ),
    "by nobody": ("if frame == 0:", "print(x)", "", ["self.seen = self.seen + found"]),
}


@pytest.mark.parametrize(("test", "start", "before", "kept"), STARTED.values(), ids=STARTED)
def test_the_state_of_a_sequence_starts_anew_with_the_next(
    program: Program, test: str, start: str, before: str, kept: list[str]
) -> None:
    assert program(_DECODER.format(test=test, start=start, before=before)).reported("kept-graph") == kept


OF_OTHERS = {
    "nobody goes back or empties": _actor(),
    "another attribute": _actor(kept="net.found", emptied="net.found = []"),
    "emptied by nobody who is called": _actor(own="self.kept = []"),
    "of another class": _actor(emptied="Log().reset()").replace(
        "critic = ", "class Log:\n    def reset(self):\n        self.kept = []\ncritic = "
    ),
}


@pytest.mark.parametrize("code", OF_OTHERS.values(), ids=OF_OTHERS)
def test_what_becomes_of_other_objects_says_nothing(program: Program, code: str) -> None:
    assert program(code).reported("kept-graph") == ["critic.kept.append(value)"]


def test_another_file_may_differentiate_what_is_kept(project_of: Callable[[dict[str, str]], Checkout]) -> None:
    learning = (
        "import torch\ndef learn(net, optimizer):\n    torch.stack(net.kept).sum().backward()\n    optimizer.step()\n"
    )
    code = _actor(call="learn(critic, optimizer)").replace(
        "from torch import nn", "from torch import nn\nfrom learning import learn"
    )

    assert project_of({"main.py": code, "learning.py": learning}).reported("kept-graph") == []


_HEADS = """\
import torch
def step(head, optimizer, x):
    loss = head(x).sum()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    return loss
def steps(heads, optimizer, x):
    total = 0
    for head in heads:
        total += step(head, optimizer, x)
    return {returned}
def update(heads, optimizer, x):
    error, total = steps(heads, optimizer, x)
    return total
class Agent:
    def backward(self, loss):
        loss.backward()
    def learn(self, heads, optimizer, x):
        {learned}
"""
RETURNED = {
    "at once": ("total", "steps(heads, optimizer, x).backward()", []),
    "a part of it": ("total / 3", "loss = steps(heads, optimizer, x)\n        loss.backward()", []),
    "through another, in a tuple": (
        "(1, total)",
        "loss = update(heads, optimizer, x)\n        self.backward(loss)",
        [],
    ),
    "to who prints it": ("total", "print(steps(heads, optimizer, x))", ["total += step(head, optimizer, x)"]),
    "to who goes back from another": (
        "total",
        "print(steps(heads, optimizer, x))\n        x.sum().backward()",
        ["total += step(head, optimizer, x)"],
    ),
}


@pytest.mark.parametrize(("returned", "learned", "kept"), RETURNED.values(), ids=RETURNED)
def test_a_sum_that_is_returned_to_who_differentiates_it_is_used_up_there(
    program: Program, returned: str, learned: str, kept: list[str]
) -> None:
    assert program(_HEADS.format(returned=returned, learned=learned)).reported("kept-graph") == kept
