"""The modules in containers of modules: which they are, and that what calls them runs their code."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent, indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import torch
from collections import OrderedDict
from torch import nn
loader = torch.utils.data.DataLoader([])

class Block(nn.Module):
    def forward(self, x):
        y = x * 2
        print(y.mean().item())
        return y

class Net(nn.Module):
"""
TAIL = """
net = Net({given}).to("cuda")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in loader:
    x = x.to("cuda")
    {call}.sum().backward()
    optimizer.step()
"""
EACH = """
        for block in self.blocks:
            x = block(x)
        return x
"""
# Each has the construction of a network, its `forward`, and its input.
RUN = {
    "a comprehension": ("self.blocks = nn.ModuleList([Block() for _ in range(2)])", EACH, ""),
    "a generator": ("self.blocks = nn.ModuleList(Block() for _ in range(2))", EACH, ""),
    "a list": ("self.blocks = nn.ModuleList([nn.Linear(2, 2), Block()])", EACH, ""),
    "a list by its keyword": ("self.blocks = nn.ModuleList(modules=[Block()])", EACH, ""),
    "a list that is appended to": (
        """
        self.blocks = nn.ModuleList()
        for _ in range(2):
            self.blocks.append(Block())
        """,
        EACH,
        "",
    ),
    "a list that is extended": (
        """
        self.blocks = nn.ModuleList()
        self.blocks.extend([Block(), Block()])
        """,
        EACH,
        "",
    ),
    "a list that is filled before": (
        """
        blocks = []
        for _ in range(2):
            blocks.append(Block())
        self.blocks = nn.ModuleList(blocks)
        """,
        EACH,
        "",
    ),
    "a list that others are added to": (
        """
        blocks = []
        for _ in range(2):
            blocks += [Block()]
        self.blocks = nn.ModuleList(blocks)
        """,
        EACH,
        "",
    ),
    "a list that is given": ("self.blocks = nn.ModuleList(given)", EACH, "[Block(), Block()]"),
    "an item": ("self.blocks = nn.ModuleList([Block(), nn.ReLU()])", "return self.blocks[0](x)", ""),
    "an item by some number": (
        "self.blocks = nn.ModuleList([nn.ReLU(), Block()])",
        """
        for i in range(len(self.blocks)):
            x = self.blocks[i](x)
        return x
        """,
        "",
    ),
    "the last item": ("self.blocks = nn.ModuleList([nn.ReLU(), Block()])", "return self.blocks[-1](x)", ""),
    "all but the first": (
        "self.blocks = nn.ModuleList([nn.ReLU(), Block()])",
        """
        for block in self.blocks[1:]:
            x = block(x)
        return x
        """,
        "",
    ),
    "numbered blocks": (
        "self.blocks = nn.ModuleList([Block() for _ in range(2)])",
        """
        for i, block in enumerate(self.blocks):
            x = block(x)
        return x
        """,
        "",
    ),
    "blocks in pairs": (
        "self.blocks = nn.ModuleList([Block() for _ in range(2)])",
        """
        for block, part in zip(self.blocks, x.chunk(2)):
            x = block(part)
        return x
        """,
        "",
    ),
    "a dict": ("self.blocks = nn.ModuleDict({'first': Block()})", "return self.blocks['first'](x)", ""),
    "a dict of pairs": (
        "self.blocks = nn.ModuleDict([('act', nn.ReLU()), ('first', Block())])",
        "return self.blocks['first'](x)",
        "",
    ),
    "a dict of pairs that is filled before": (
        """
        pairs = []
        pairs.append(["act", nn.ReLU()])
        pairs.append(["first", Block()])
        self.blocks = nn.ModuleDict(pairs)
        """,
        "return self.blocks['first'](x)",
        "",
    ),
    "a dict of pairs with any names": (
        "self.blocks = nn.ModuleDict([(str(i), Block()) for i in range(2)])",
        "return self.blocks['0'](x)",
        "",
    ),
    "a dict of names and modules": (
        "self.blocks = nn.ModuleDict(zip(given, [Block()]))",
        "return self.blocks['first'](x)",
        "['first']",
    ),
    "an ordered dict": (
        "self.blocks = nn.ModuleDict(OrderedDict([('act', nn.ReLU()), ('first', Block())]))",
        "return self.blocks['first'](x)",
        "",
    ),
    "an ordered dict by its keywords": (
        "self.blocks = nn.ModuleDict(modules=OrderedDict(act=nn.ReLU(), first=Block()))",
        "return self.blocks['first'](x)",
        "",
    ),
    "an ordered dict that is filled before": (
        """
        named = OrderedDict()
        named["act"] = nn.ReLU()
        named["first"] = Block()
        self.blocks = nn.ModuleDict(named)
        """,
        "return self.blocks['first'](x)",
        "",
    ),
    "an attribute of a dict": (
        "self.blocks = nn.ModuleDict({'act': nn.ReLU(), 'first': Block()})",
        "return self.blocks.first(x)",
        "",
    ),
    "an attribute of a dict of pairs": (
        "self.blocks = nn.ModuleDict([('act', nn.ReLU()), ('first', Block())])",
        "return self.blocks.first(x)",
        "",
    ),
    "an attribute of a dict that is filled": (
        """
        self.blocks = nn.ModuleDict()
        self.blocks['act'] = nn.ReLU()
        self.blocks['first'] = Block()
        """,
        "return self.blocks.first(x)",
        "",
    ),
    "an attribute of a Sequential": (
        "self.blocks = nn.Sequential(OrderedDict([('act', nn.ReLU()), ('first', Block())]))",
        "return self.blocks.first(x)",
        "",
    ),
    "an attribute of a Sequential of what is filled before": (
        """
        named = OrderedDict()
        named["act"] = nn.ReLU()
        named["first"] = Block()
        self.blocks = nn.Sequential(named)
        """,
        "return self.blocks.first(x)",
        "",
    ),
    "a Sequential of an ordered dict that is filled before": (
        """
        named = OrderedDict()
        named["first"] = Block()
        self.blocks = nn.Sequential(named)
        """,
        "return self.blocks(x)",
        "",
    ),
    "the values of a dict of pairs": (
        "self.blocks = nn.ModuleDict([('first', Block())])",
        """
        for block in self.blocks.values():
            x = block(x)
        return x
        """,
        "",
    ),
    "the values of a dict": (
        "self.blocks = nn.ModuleDict({'first': Block()})",
        """
        for block in self.blocks.values():
            x = block(x)
        return x
        """,
        "",
    ),
    "the items of a dict": (
        "self.blocks = nn.ModuleDict(dict(first=Block()))",
        """
        for name, block in self.blocks.items():
            x = block(x)
        return x
        """,
        "",
    ),
    "a dict that is filled": (
        """
        self.blocks = nn.ModuleDict()
        for name in given:
            self.blocks[name] = Block()
        """,
        """
        for name in self.blocks:
            x = self.blocks[name](x)
        return x
        """,
        "['first']",
    ),
    "a Sequential": ("self.blocks = nn.Sequential(nn.ReLU(), Block())", "return self.blocks(x)", ""),
    "a Sequential on the spot": ("self.block = Block()", "return nn.Sequential(self.block, nn.ReLU())(x)", ""),
    "a Sequential of a list": (
        "self.blocks = nn.Sequential(nn.ReLU(), *[Block() for _ in range(2)])",
        "return self.blocks(x)",
        "",
    ),
    "a Sequential with names": (
        "self.blocks = nn.Sequential(OrderedDict([('act', nn.ReLU()), ('block', Block())]))",
        "return self.blocks(x)",
        "",
    ),
    "a Sequential that is added to": (
        """
        self.blocks = nn.Sequential()
        self.blocks.add_module('block', Block())
        """,
        "return self.blocks(x)",
        "",
    ),
    "a Sequential that is added to by kind": (
        """
        self.blocks = nn.Sequential()
        for kind in 'cnptub':
            if kind == 'c':
                self.blocks.add_module(kind, nn.Conv2d(1, 1, 1))
                self.blocks.add_module(kind + 'n', nn.BatchNorm2d(1))
                self.blocks.add_module(kind + 'r', nn.ReLU())
            elif kind == 'p':
                self.blocks.add_module(kind, nn.MaxPool2d(2))
            elif kind == 'u':
                self.blocks.add_module(kind, nn.Upsample(2))
            else:
                self.blocks.add_module(kind, Block())
        """,
        "return self.blocks(x)",
        "",
    ),
    "a Sequential in another": ("self.blocks = nn.Sequential(nn.Sequential(Block()))", "return self.blocks(x)", ""),
    "lists of Sequentials": (
        "self.blocks = nn.ModuleList([nn.Sequential(nn.ReLU(), Block()) for _ in range(2)])",
        EACH,
        "",
    ),
    "a Sequential built of itself": (
        """
        blocks = nn.Sequential()
        for _ in range(2):
            blocks = nn.Sequential(blocks, Block())
        self.blocks = blocks
        """,
        "return self.blocks(x)",
        "",
    ),
    "parallel blocks": (
        "self.blocks = nn.ModuleList([nn.DataParallel(Block()) for _ in range(2)])",
        EACH,
        "",
    ),
}
NOT_RUN = {
    "a list that is not called": ("self.blocks = nn.ModuleList([Block()])", "return x", ""),
    "another item": ("self.blocks = nn.ModuleList([Block(), nn.ReLU()])", "return self.blocks[1](x)", ""),
    "another item of a Sequential": ("self.blocks = nn.Sequential(nn.ReLU(), Block())", "return self.blocks[0](x)", ""),
    "under another key": (
        "self.blocks = nn.ModuleDict({'first': Block(), 'act': nn.ReLU()})",
        "return self.blocks['act'](x)",
        "",
    ),
    "under another name of a pair": (
        "self.blocks = nn.ModuleDict([('first', Block()), ('act', nn.ReLU())])",
        "return self.blocks['act'](x)",
        "",
    ),
    "under another name of an ordered dict": (
        "self.blocks = nn.ModuleDict(OrderedDict(first=Block(), act=nn.ReLU()))",
        "return self.blocks['act'](x)",
        "",
    ),
    "under another name that is filled": (
        """
        self.blocks = nn.ModuleDict()
        self.blocks['first'] = Block()
        self.blocks['act'] = nn.ReLU()
        """,
        "return self.blocks['act'](x)",
        "",
    ),
    "another attribute of a dict": (
        "self.blocks = nn.ModuleDict([('first', Block()), ('act', nn.ReLU())])",
        "return self.blocks.act(x)",
        "",
    ),
    "another attribute of a Sequential": (
        "self.blocks = nn.Sequential(OrderedDict(first=Block(), act=nn.ReLU()))",
        "return self.blocks.act(x)",
        "",
    ),
    "an attribute of a Sequential without names": (
        "self.blocks = nn.Sequential(Block(), nn.ReLU())",
        "return self.blocks.first(x)",
        "",
    ),
    "an attribute of a list": ("self.blocks = nn.ModuleList([Block()])", "return self.blocks.first(x)", ""),
    "the keys of a dict": ("self.blocks = nn.ModuleDict({'first': Block()})", EACH.replace("block(x)", "x"), ""),
    "a Sequential without it": (
        """
        self.blocks = nn.Sequential(nn.ReLU())
        self.block = Block()
        """,
        "return self.blocks(x)",
        "",
    ),
    "a Sequential of many others": (
        """
        self.blocks = nn.Sequential()
        self.blocks.add_module('c', nn.Conv2d(1, 1, 1))
        self.blocks.add_module('n', nn.BatchNorm2d(1))
        self.blocks.add_module('r', nn.ReLU())
        self.blocks.add_module('p', nn.MaxPool2d(2))
        self.blocks.add_module('u', nn.Upsample(2))
        self.others = nn.Sequential()
        self.others.add_module('b', Block())
        """,
        "return self.blocks(x)",
        "",
    ),
    "a list of another class": ("self.blocks = [Block()]", "return self.block(x)", ""),
}


def _program(init: str, forward: str, given: str, call: str = "net(x)") -> str:
    built = f"    def __init__(self{', given' if given else ''}):\n        super().__init__()\n"
    run = "    def forward(self, x):\n"
    body = (built, indent(dedent(init.strip("\n")), 8 * " "), "\n", run, indent(dedent(forward.strip("\n")), 8 * " "))
    return HEAD + "".join(body) + TAIL.format(given=given, call=call)


@pytest.mark.parametrize(("init", "forward", "given"), RUN.values(), ids=RUN)
def test_what_a_container_holds_runs_where_it_is_called(program: Program, init: str, forward: str, given: str) -> None:
    checkout = program(_program(init, forward, given))

    assert checkout.reported("item-in-training-loop") == ["print(y.mean().item())"]


@pytest.mark.parametrize(("init", "forward", "given"), NOT_RUN.values(), ids=NOT_RUN)
def test_what_a_container_holds_runs_nowhere_else(program: Program, init: str, forward: str, given: str) -> None:
    checkout = program(_program(init, forward, given))

    assert checkout.reported("item-in-training-loop") == []


def test_a_sequential_at_the_top_runs_what_it_holds(program: Program) -> None:
    checkout = program(
        HEAD.replace("class Net(nn.Module):\n", "")
        + TAIL.format(given="", call="net(x.cuda())").replace("Net()", "nn.Sequential(nn.Linear(2, 2), Block())")
    )

    assert checkout.reported("item-in-training-loop") == ["print(y.mean().item())"]


def test_a_wrapper_in_a_list_is_still_a_wrapper(program: Program) -> None:
    checkout = program(
        """\
import torch
from torch import nn
nets = nn.ModuleList([nn.DataParallel(nn.Linear(2, 2)) for _ in range(2)])
for net in nets:
    torch.save(net.state_dict(), "net.pt")
"""
    )

    assert checkout.reported("wrapped-state-dict") == ['torch.save(net.state_dict(), "net.pt")']


PUT_TOGETHER = """\
import torch
def number(x):
    return 1.5
def zeros(x):
    return torch.zeros(2)
{code}
for call in calls:
    result = call(1)
use(result)
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("calls = [number] + [zeros]", {"Literal", "Tensor"}),
        ("calls = [number] * 2 + [zeros]", {"Literal", "Tensor"}),
        ("calls = [number]\ncalls += [zeros]", {"Literal", "Tensor"}),
        ("calls = (zeros,) + (number,)", {"Literal", "Tensor"}),
        ("calls = [zeros] * 3", {"Tensor"}),
    ],
)
def test_lists_that_are_put_together_hold_what_is_in_each(
    project_of: Callable[[dict[str, str]], Checkout], code: str, expected: set[str]
) -> None:
    values = project_of({"main.py": PUT_TOGETHER.format(code=code)}).values("result")

    assert {type(one).__name__ for one in values} == expected
