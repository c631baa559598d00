"""Which leaves that want gradients are changed in place while autograd records."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "inplace-on-leaf"
HEAD = "import torch\nfrom torch import nn\nnet = nn.Linear(2, 2)\n"
LOOP = "for p in {}:\n    p.add_(1)\n"
LEAVES = {
    "of a module": (LOOP.format("net.parameters()"), True),
    "with their names": (LOOP.replace("p in", "_, p in").format("net.named_parameters()"), True),
    "numbered": (LOOP.replace("p in", "i, p in").format("enumerate(net.parameters())"), True),
    "beside others": (LOOP.replace("p in", "q, p in").format("zip([1], net.parameters())"), True),
    "of several": ("import itertools\n" + LOOP.format("itertools.chain(net.parameters(), net.parameters())"), True),
    "in a list": ("ps = [q for q in net.parameters() if q.dim() > 1]\n" + LOOP.format("ps"), True),
    "filtered": (LOOP.format("filter(lambda q: q.requires_grad, net.parameters())"), True),
    "of an optimizer": (
        "class Own(torch.optim.Optimizer):\n    def __init__(self, params):\n        super().__init__(params, {})\n"
        "    def step(self):\n        for group in self.param_groups:\n            for p in group['params']:\n"
        "                p.add_(1)\nown = Own(net.parameters())\nown.step()\n",
        True,
    ),
    "handed to a function": (
        "def step(ps):\n    for p in ps:\n        p.add_(1)\nstep(net.parameters())\nstep(list(net.parameters()))\n",
        True,
    ),
    "of a published network": (
        "import torchvision\nnet = torchvision.models.resnet18()\nnet.fc.weight.zero_()\n",
        True,
    ),
    "of a layer": ("net.weight += 1\n", True),
    "a part": ("net.weight[0] = 1\n", True),
    "a part by a method": ("net.weight[0, :2].fill_(1)\n", True),
    "made so": ("w = torch.ones(2, requires_grad=True)\nw -= 1\n", True),
    "in each round": ("w = torch.ones(2, requires_grad=True)\nfor _ in range(2):\n    w -= 0.1 * w.grad\n", True),
    "asked for after": ("w = torch.ones(2).requires_grad_()\nw.mul_(2)\n", True),
    "asked for below": ("w = torch.ones(2)\nw.requires_grad_()\nw.mul_(2)\n", True),
    "asked for too late": ("w = torch.ones(2)\nw.mul_(2)\nw.requires_grad_()\n", False),
    "something else by then": ("w = torch.ones(2)\nw.requires_grad_()\nw = w.detach()\nw.mul_(2)\n", False),
    "wanting none": ("w = nn.Parameter(torch.ones(2), requires_grad=False)\nw.mul_(2)\n", False),
    "computed": ("w = torch.ones(2, requires_grad=True) * 2\nw.mul_(2)\n", False),
    "a copied part": ("net.weight[[0]].fill_(1)\n", False),
    "its numbers": ("net.weight.data.fill_(1)\n", False),
    "its gradient": ("net.weight.grad.zero_()\n", False),
    "detached": ("net.weight.detach().fill_(1)\n", False),
    "no method in place": ("net.weight.requires_grad_()\nnet.weight.share_memory_()\n", False),
    "a matrix product, which makes another": ("w = nn.Parameter(torch.ones(2, 2))\nw @= w\n", False),
    "in the list of which another is put": ("ps = list(net.parameters())\nps[0] = torch.zeros(2)\n", False),
    "of a module with parameters of its own": (
        "class Net(nn.Module):\n    def parameters(self):\n        return []\nnet = Net()\n"
        + LOOP.format("net.parameters()"),
        False,
    ),
    "frozen": ("net.requires_grad_(False)\n" + LOOP.format("net.parameters()"), False),
    "frozen one by one": (
        "for q in net.parameters():\n    q.requires_grad = False\n" + LOOP.format("net.parameters()"),
        False,
    ),
    "of which another part is frozen": (
        "pair = nn.ModuleDict()\npair.body = net\npair.head = nn.Linear(2, 2)\npair.body.requires_grad_(False)\n"
        "pair.head.weight.zero_()\n",
        True,
    ),
    "while another is frozen": (
        "def freeze(module):\n    module.requires_grad_(False)\nfreeze(nn.Linear(2, 2))\nnet.weight.zero_()\n",
        True,
    ),
}
CHANGE = "net.weight.zero_()"
MODES = {
    "in the file": (f"{CHANGE}\n", True),
    "not recorded": (f"with torch.no_grad():\n    {CHANGE}\n", False),
    "in another mode": (f"with torch.inference_mode():\n    {CHANGE}\n", False),
    "in a mode that is asked for": (f"with torch.set_grad_enabled(train):\n    {CHANGE}\n", False),
    "in a context of PyTorch": (f"with torch.autocast('cpu'):\n    {CHANGE}\n", True),
    "in a context that nobody knows": (f"with frozen(net):\n    {CHANGE}\n", False),
    "recorded by its caller": (f"def zero():\n    {CHANGE}\nzero()\n", True),
    "by one that does not": (f"def zero():\n    {CHANGE}\nzero()\nwith torch.no_grad():\n    zero()\n", False),
    "without a caller": (f"def zero():\n    {CHANGE}\n", False),
    "by a decorator": (f"@torch.no_grad()\ndef zero():\n    {CHANGE}\nzero()\n", False),
    "by a decorator that nobody knows": (f"@quiet\ndef zero():\n    {CHANGE}\nzero()\n", False),
    "handed to `apply`": ("def zero(m):\n    m.weight.zero_()\nnet.apply(zero)\n", True),
    "handed to a hook": (f"def zero(m):\n    {CHANGE}\nnet.register_forward_hook(zero)\n", False),
    "in the constructor": (
        "class Net(nn.Module):\n    def __init__(self):\n        self.w = nn.Parameter(torch.ones(2))\n"
        "        self.w.zero_()\n",
        True,
    ),
    "in forward": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = nn.Parameter(torch.ones(2))\n    def forward(self, x):\n        self.w.zero_()\n"
        "net = Net()\nnet(1)\n",
        True,
    ),
    "where it is asked": (f"if not torch.is_grad_enabled():\n    {CHANGE}\n", False),
    "where it may raise": (f"try:\n    {CHANGE}\nexcept RuntimeError:\n    pass\n", False),
    "switched off for good": (f"torch.set_grad_enabled(False)\n{CHANGE}\n", False),
    "entered by hand": (f"torch.no_grad().__enter__()\n{CHANGE}\n", False),
}


@pytest.mark.parametrize(("code", "is_found"), LEAVES.values(), ids=LEAVES)
def test_what_surely_is_a_leaf_that_wants_gradients_is_told_from_others(
    program: Program, code: str, is_found: bool
) -> None:
    assert len(program(HEAD + code).findings(RULE)) == is_found


@pytest.mark.parametrize(("code", "is_found"), MODES.values(), ids=MODES)
def test_a_leaf_is_changed_only_where_every_caller_records(program: Program, code: str, is_found: bool) -> None:
    assert len(program(HEAD + code).findings(RULE)) == is_found
