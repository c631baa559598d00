"""Where a module is after a call of a function that moves it in place."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
CODE = """\
import sys
import torch
from torch import nn
def move(module, device):
    module.to(device)
def switch(module, on_host):
    if on_host:
        module.cpu()
    else:
        module.cuda()
def deeper(module, device):
    move(module, device)
def with_result(module):
    return move(module, "cuda")
def there_and_back(module):
    deeper(module, "cuda")
    module.cpu()
def rename(module):
    module.name = "net"
def moves_another(module, other):
    other.cuda()
def moves_its_own(module):
    module = nn.Linear(2, 2)
    module.cuda()
class Runner:
    def __init__(self):
        self.net = nn.Linear(2, 2){made}
    def run(self):
        {self_calls}
        self.net(torch.ones(2, 2))
def run():
    net = nn.Linear(2, 2){made}
    {calls}
    net(torch.ones(2, 2))
Runner().run()
run()
"""
CALLS = {
    "to the GPU": ("", 'move({net}, "cuda")', True),
    "by a keyword": ("", 'move(device="cuda", module={net})', True),
    "to the host": (".cuda()", 'move({net}, "cpu")', False),
    "to the host by a flag": (".cuda()", "switch({net}, True)", False),
    "to the GPU by a flag": ("", "switch({net}, on_host=False)", True),
    "to the GPU by what it calls": ("", 'deeper({net}, "cuda")', True),
    "to the GPU by what it returns": ("", "with_result({net})", True),
    "to the host by what it calls": (".cuda()", 'deeper({net}, "cpu")', False),
    "to the GPU by what it calls, and back": ("", "there_and_back({net})", False),
    "to the GPU, with a result": ("", "moved = with_result({net})", True),
    "to the GPU where that succeeds": (
        "",
        """
    try:
        {net}.cuda()
    except RuntimeError:
        print("no GPU")
""",
        True,
    ),
    "to the GPU where that succeeds, else to the host": (
        "",
        """
    try:
        {net}.cuda()
    except RuntimeError:
        {net}.cpu()
""",
        False,
    ),
    "somewhere": (".cuda()", "switch({net}, len(sys.argv) > 1)", False),
    "there and back": ("", 'move({net}, "cuda"); switch({net}, True)', False),
    "nowhere": (".cuda()", "rename({net})", True),
    "another": ("", "moves_another({net}, nn.Linear(2, 2))", False),
    "to what an option says": (".cuda()", "move({net}, sys.argv[1])", True),
}


@pytest.mark.parametrize(("made", "calls", "is_on_gpu"), CALLS.values(), ids=CALLS)
def test_a_module_is_where_the_function_leaves_it(program: Program, made: str, calls: str, is_on_gpu: bool) -> None:
    own, local = indent(calls.replace("{net}", "self.net"), "    ").strip(), calls.replace("{net}", "net").strip()

    checkout = program(CODE.format(made=made, self_calls=own, calls=local))

    expected = ["self.net(torch.ones(2, 2))", "net(torch.ones(2, 2))"] if is_on_gpu else []
    assert checkout.reported("unmoved-batch") == expected


OUTSIDE = """\
import torch
from torch import nn
def place(module, device):
    module.to(device)
def place_all(module):
    place(module, "cuda")
net = nn.Linear(2, 2)
{calls}
def run():
    net(torch.ones(2, 2))
run()
"""


@pytest.mark.parametrize(
    ("calls", "is_on_gpu"),
    [
        ('place(net, "cuda")', True),
        ("place_all(net)", True),
        ('place(net, "cpu")', False),
        ('place(net, "cuda")\nnet.cpu()', False),
        ('net.cuda()\nplace(net, "cpu")', False),
        ("print(net)", False),
    ],
)
def test_a_module_of_the_file_is_where_the_function_leaves_it(program: Program, calls: str, is_on_gpu: bool) -> None:
    expected = ["net(torch.ones(2, 2))"] if is_on_gpu else []

    assert program(OUTSIDE.format(calls=calls)).reported("unmoved-batch") == expected
