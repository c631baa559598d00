"""Code that runs every N steps by what is around it: loops that are left, callers, first iterations, viewers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout, every_step
from tests.model.steps.programs import HEAD, in_program, reads_every_step

Program: TypeAlias = Callable[[str], Checkout]


LEAVING = """
for i, x in enumerate(loader):
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
    if {test}:
        loss.item()
    {below}
"""


@pytest.mark.parametrize(
    ("test", "below", "expected"),
    [
        ("done >= most", "if done >= most:\n        break", False),
        ("done >= most or late", "if done >= most or i % 9 == 0 or late:\n        if done >= most or late:\n            break", False),
        ("self.done", "if self.done:\n        save()\n        break", False),
        ("done >= most", "if done >= most:\n        save()", True),
        ("done >= most or late", "if done >= most:\n        break", True),
        ("done >= most", "done = 0\n    if done >= most:\n        break", True),
        ("done >= most", "if i % 2:\n        continue\n    if done >= most:\n        break", True),
        ("done >= most", "for y in x:\n        if done >= most:\n            break", True),
        ("is_done()", "if is_done():\n        break", True),
    ],
)  # fmt: skip
def test_who_leaves_the_loop_further_down_comes_by_once(
    program: Program, test: str, below: str, expected: bool
) -> None:
    code = "done, most, late = asked()\n" + LEAVING.format(test=test, below=below)

    assert reads_every_step(program(HEAD + "from elsewhere import asked, is_done\n" + code)) is expected


def test_the_message_of_an_assertion_is_made_but_once(program: Program) -> None:
    code = """
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            assert i < 10, f"too far: {loss.item()}"
        """

    assert not reads_every_step(program(in_program(code)))


def test_a_throttle_around_the_call_thins_the_callee_too(program: Program) -> None:
    code = """
        def note(loss):
            return loss.item()
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i % 100 == 0:
                note(loss)
        """

    assert not reads_every_step(program(in_program(code)))


PASSED = """
def look(loss, i, show=False, *rest):
    if show:
        loss.item()
for i, x in enumerate(loader):
    loss = model(x.cuda()).sum()
    {}
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("look(loss, i, i % 100 == 0)", False),
        ("look(loss, i, show=i % 100 == 0); look(loss, i)", False),
        ("look(loss, i, i % 100 == 0); look(loss, i, True)", True),
        ("look(loss, i, i % 100 > 0)", True),
        ("look(loss, i, asked)", True),
        ("look(*given)", True),
    ],
)
def test_a_throttle_that_calls_pass_thins_what_it_lets_run(program: Program, calls: str, expected: bool) -> None:
    checkout = program(HEAD + "from elsewhere import asked, given\nmodel.cuda()\n" + PASSED.format(calls))

    assert checkout.reported("item-in-training-loop") == (["loss.item()"] if expected else [])


def test_one_call_without_a_throttle_is_enough(program: Program) -> None:
    code = """
        def note(loss):
            return loss.item()
        for i, x in enumerate(loader):
            loss = model(x).sum()
            loss.backward()
            if i % 100 == 0:
                note(loss)
            note(loss)
        """

    assert reads_every_step(program(in_program(code)))


_INNER = """
def parts(loss, xs, n, first=0):
    for k in {rounds}:
        {test}
            loss.item()
for i, x in enumerate(loader):
    loss = model(x).sum()
    parts(loss, x, len(x))
    loss.backward()
"""


@pytest.mark.parametrize(
    ("rounds", "test", "expected"),
    [
        ("range(n)", "if k == 0:", True),
        ("range(n)", "if not k:", True),
        ("range(n)", "if k % 4 == 0:", True),
        ("range(n)", "if k < 3:", True),
        ("range(n)", "if k == n - 1:", True),
        ("range(len(xs))", "if k == len(xs) - 1:", True),
        ("range(n)", "if k != 0:\n            continue\n        if True:", True),
        ("range(n)", "if k == 5:", False),
        ("range(n)", "if k == first - 1:", False),
        ("range(first, n)", "if k == 0:", False),
        ("range(n)", "k += first\n        if k == 0:", False),
        ("range(n)", "if first == 0:", True),
        ("range(n)", "if step == 0:", False),
    ],
)
def test_a_round_of_a_loop_inside_the_step_comes_with_every_step(
    program: Program, rounds: str, test: str, expected: bool
) -> None:
    checkout = program(HEAD + _INNER.format(rounds=rounds, test=test))

    assert reads_every_step(checkout) is expected


@pytest.mark.parametrize(("counter", "expected"), [("k", True), ("i", False), ("epoch", False)])
def test_rounds_of_the_step_loop_and_of_those_around_it_come_now_and_then(
    program: Program, counter: str, expected: bool
) -> None:
    code = f"""
        for epoch in range(10):
            for i, x in enumerate(loader):
                loss = model(x).sum()
                loss.backward()
                for k, part in enumerate(x):
                    if {counter} == 0:
                        loss.item()
        """

    assert reads_every_step(program(in_program(code))) is expected


TWO_ARMS = """
for x in loader:
    loss = model(x).sum()
    loss.backward()
    if {test}:
        print(loss.item())
        optimizer.step()
    else:
        {otherwise}
"""


@pytest.mark.parametrize(
    ("test", "otherwise", "expected"),
    [
        ("torch.isnan(loss)", "optimizer.step()", False),
        ("asked", "optimizer.step()", True),
        ("torch.isnan(loss)", "pass", True),
    ],
)
def test_an_exception_is_one_though_its_arm_steps_as_the_other_does(
    program: Program, test: str, otherwise: str, expected: bool
) -> None:
    checkout = program(
        HEAD + "import torch\nfrom elsewhere import asked\n" + TWO_ARMS.format(test=test, otherwise=otherwise)
    )

    assert reads_every_step(checkout) is expected


_CELLS = """\
import torch
from torch import nn
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.total = nn.Linear(4, 4), None
    def start(self, x):
        self.total = torch.zeros_like(x)
    def forward(self, x, t):
        if {test}:
            self.start(x)
        self.total = self.total + self.layer(x)
        return self.total
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()
    def forward(self, x, i):
        {forward}
net = Net()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for i in range(100):
    optimizer.zero_grad()
    net(torch.rand(2, 4), i).mean().backward()
    optimizer.step()
"""
STARTED_ANEW = {
    "a comprehension": ("t == 0", "return sum([self.cell(x, k) for k in range(5)])"),
    "a generator": ("not t", "return sum(self.cell(x, t=k) for k in range(5))"),
    "one that numbers": ("t < 1", "return sum(self.cell(row, k) for k, row in enumerate(x))"),
    "one in steps": ("t == 0", "return sum(self.cell(x, k) for k in range(0, 10, self.pace))"),
    "one from nought": ("t == 0", "return sum(self.cell(x, k) for k in range(0, 5))"),
    "also in another method": (
        "t == 0",
        "return sum(self.cell(x, k) for k in range(5))\n"
        "    def generate(self, x):\n        return [self.cell(x, k) for k in range(0, len(x), 2)]",
    ),
    "a loop": ("t == 0", "for k in range(5):\n            y = self.cell(x, k)\n        return y"),
}


@pytest.mark.parametrize(("test", "forward"), STARTED_ANEW.values(), ids=STARTED_ANEW)
def test_the_first_round_within_a_forward_comes_with_every_step(program: Program, test: str, forward: str) -> None:
    assert program(_CELLS.format(test=test, forward=forward)).reported("kept-graph") == []


STARTED_ONCE = {
    "the round of the steps": ("t == 0", "return self.cell(x, i)"),
    "one of many rounds": ("t == 0", "return sum(self.cell(x, i) for k in range(5))"),
    "no first round": ("t == 7", "return sum(self.cell(x, k) for k in range(5))"),
    "from one on": ("t == 0", "return sum(self.cell(x, k) for k in range(1, 5))"),
    "from one on, in steps": ("t == 0", "return sum(self.cell(x, k) for k in range(1, 9, 2))"),
    "also in a method that trains": (
        "t == 0",
        "return sum(self.cell(x, k) for k in range(5))\n"
        "    def fit(self, x):\n        for k in range(5):\n            self.cell(x, k).sum().backward()",
    ),
    "in one of two calls": ("t == 0", "return self.cell(x, i) + sum(self.cell(x, k) for k in range(5))"),
}


@pytest.mark.parametrize(("test", "forward"), STARTED_ONCE.values(), ids=STARTED_ONCE)
def test_the_first_round_of_all_steps_comes_once(program: Program, test: str, forward: str) -> None:
    kept = "self.total = self.total + self.layer(x)"

    assert program(_CELLS.format(test=test, forward=forward)).reported("kept-graph") == [kept]


_VIEWED = """\
import torch
import gui
from gui import Link
net = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
link = Link()
def main(loader, conn):
    for x in loader:
        net(x.cuda()).sum().backward()
        optimizer.step()
        {test}
            camera = {read}
            gui.send(net(camera.cuda()).cpu())
            {last}
"""
_GUI = """\
import socket
conn, address, count, listener = None, None, None, socket.socket()
class Link:
    def __init__(self):
        self.conn = self.other = None
    def wait(self):
        self.conn, self.address = listener.accept()
def try_connect():
    global conn, address
    try:
        conn, address = listener.accept()
    except Exception:
        pass
def receive():
    return conn.recv(4)
def send(x):
    conn.sendall(x)
"""
VIEWERS = {
    "of a module": ("while gui.conn != None:", "gui.receive()", False),
    "of a module, in a round": ("if gui.conn is not None:", "gui.receive()", False),
    "of an object": ("while link.conn:", "gui.receive()", False),
    "who is listened to": ("while conn is not None:", "conn.receive()", False),
    "of another attribute": ("while link.other is not None:", "gui.receive()", True),
    "of another name": ("while gui.count is not None:", "gui.receive()", True),
    "nobody there": ("while gui.conn is None:", "gui.receive()", True),
    "listened to, asked once": ("if conn is not None:", "conn.receive()", True),
}


@pytest.mark.parametrize(("test", "read", "expected"), VIEWERS.values(), ids=VIEWERS)
def test_somebody_is_connected_now_and_then(
    project_of: Callable[[dict[str, str]], Checkout], test: str, read: str, *, expected: bool
) -> None:
    code = _VIEWED.format(test=test, read=read, last="break" if test.startswith("while") else "pass")
    place = project_of({"main.py": code, "gui.py": _GUI}).place("net(camera.cuda()).cpu()")

    assert (every_step(place) is not None) is expected
