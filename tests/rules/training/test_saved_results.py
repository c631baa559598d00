"""Which changes in place `backward()` finds in what it computes gradients from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "inplace-on-saved-result"
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\nnet = nn.Linear(2, 2)\n"
STEP = "def step(x):\n    y = {}\n    {}\n    y.sum().backward()\nstep(torch.ones(2))\n"
RESULTS = {
    "of a function": (STEP.format("torch.sigmoid(net(x))", "y *= 2"), True),
    "of a method": (STEP.format("net(x).exp()", "y *= 2"), True),
    "of a layer": (STEP.format("nn.ReLU()(net(x))", "y *= 2"), True),
    "of a layer that works in place": (STEP.format("nn.ReLU(inplace=True)(net(x))", "y *= 2"), True),
    "of the last of several": (STEP.format("nn.Sequential(net, nn.Tanh())(x)", "y *= 2"), True),
    "in another shape": (STEP.format("F.softmax(net(x), dim=0).view(1, -1).t()", "y *= 2"), True),
    "by a method": (STEP.format("torch.sigmoid(net(x))", "y.mul_(2)"), True),
    "of a part": (STEP.format("torch.sigmoid(net(x))", "y[0] = 1"), True),
    "of a part that is added to": (STEP.format("torch.sigmoid(net(x))", "y[0] += 1"), True),
    "of a part by a method": (STEP.format("torch.sigmoid(net(x))", "y[0].zero_()"), True),
    "unseen": (STEP.format("torch.sigmoid(net(x))", "y.data *= 2"), True),
    "on either way": (
        STEP.format("torch.sigmoid(net(x))\n    if x.dim() > 1:\n        y = torch.tanh(net(x))", "y *= 2"),
        True,
    ),
    "on one of two ways": (
        STEP.format("torch.sigmoid(net(x))\n    if x.dim() > 1:\n        y = net(x)", "y *= 2"),
        False,
    ),
    "in a copy": (STEP.format("torch.sigmoid(net(x)).clone()", "y *= 2"), False),
    "a copied part": (STEP.format("torch.sigmoid(net(x))", "y[[0]].zero_()"), False),
    "another tensor of its name": (STEP.format("torch.sigmoid(net(x))\n    y = y + 1", "y *= 2"), False),
    "for another one": (STEP.format("torch.sigmoid(net(x))", "y = y * 2"), False),
    "of what keeps its input": (STEP.format("F.gelu(net(x))", "y *= 2"), False),
    "of what keeps nothing": (STEP.format("net(x) + 1", "y *= 2"), False),
    "of what wants no gradients": (STEP.format("torch.sigmoid(x)", "y *= 2"), False),
    "of what is detached": (STEP.format("torch.sigmoid(net(x).detach())", "y *= 2"), False),
    "of what may want none": ("net.requires_grad_(False)\n" + STEP.format("torch.sigmoid(net(x))", "y *= 2"), False),
    "in what is compiled": ("net = torch.compile(net)\n" + STEP.format("torch.sigmoid(net(x))", "y *= 2"), False),
    "without a record": (
        STEP.format("net(x)\n    with torch.no_grad():\n        y = torch.sigmoid(net(x))", "y *= 2"),
        False,
    ),
    "of which only the change is without a record": (
        STEP.format("torch.sigmoid(net(x))", "with torch.no_grad():\n        y *= 2"),
        True,
    ),
    "as it is expected to raise": (
        "import pytest\n"
        + STEP.replace("y.sum()", "with pytest.raises(RuntimeError):\n        y.sum()").format(
            "torch.sigmoid(net(x))", "y *= 2"
        ),
        False,
    ),
}
GATE = "def gate(x):\n    y = torch.sigmoid(net(x))\n    z = y * 2\n    y *= 2\n    {}\nx = torch.ones(2)\n{}\n"
WAYS = {
    "given back": (GATE.format("return y", "gate(x).sum().backward()"), True),
    "what was computed of it before": (GATE.format("return z", "gate(x).sum().backward()"), True),
    "what is computed of it": (GATE.format("w = net(y)\n    return w", "loss = gate(x).mean()\nloss.backward()"), True),
    "converted": (GATE.format("return y.float()", "gate(x).sum().backward()"), True),
    "as a number of Python": (GATE.format("return net(x) * float(y)", "gate(x).sum().backward()"), False),
    "put together": (GATE.format("return torch.cat([x, y])", "gate(x).mean().backward()"), True),
    "added to": (
        GATE.format("out = x\n    out = out + y\n    out += x\n    return out", "gate(x).sum().backward()"),
        True,
    ),
    "one of several": (GATE.format("return x, y", "a, b = gate(x)\nb.sum().backward()"), True),
    "another of several": (GATE.format("return net(x), y", "a, b = gate(x)\na.sum().backward()"), False),
    "by its place": (GATE.format("return x, y", "both = gate(x)\nboth[1].sum().backward()"), True),
    "by another place": (GATE.format("return net(x), y", "both = gate(x)\nboth[0].sum().backward()"), False),
    "by a caller further up": (
        GATE.format("return y", "def loss(x):\n    return gate(x).mean()\nloss(x).backward()"),
        True,
    ),
    "by one of the callers": (
        GATE.format("return y", "with torch.no_grad():\n    gate(x)\ngate(x).mean().backward()"),
        True,
    ),
    "by no caller": (GATE.format("return y", "gate(x).mean()"), False),
    "by none that records": (
        GATE.format("return y", "with torch.no_grad():\n    out = gate(x)\nnet(out).sum().backward()"),
        False,
    ),
    "scaled": (
        GATE.format("return y", "scaler = torch.amp.GradScaler()\nscaler.scale(gate(x).sum()).backward()"),
        True,
    ),
    "of a module": (
        "class Gate(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.inner = nn.Linear(2, 2)\n"
        "    def forward(self, x):\n        y = torch.sigmoid(self.inner(x))\n        y *= x\n        return y\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.gate = Gate()\n"
        "    def forward(self, x):\n        out = self.gate(x)\n        return out\n"
        "model = Net()\nloss = F.mse_loss(model(torch.ones(2)), torch.ones(2))\nloss.backward()\n",
        True,
    ),
    "of a hook of Lightning": (
        "import lightning as L\nclass Net(L.LightningModule):\n    def training_step(self, batch, i):\n"
        "        y = torch.sigmoid(net(batch))\n        y *= 2\n        return y.mean()\n",
        True,
    ),
    "detached": (GATE.format("return (y + z).detach()", "net(gate(x)).sum().backward()"), False),
    "compared": (GATE.format("return net(x) * (y > 0.5)", "gate(x).sum().backward()"), False),
    "looked up by": (GATE.format("return net(x)[y.argmax()]", "gate(x).sum().backward()"), False),
    "told of": (GATE.format("return net(x) * y.shape[0]", "gate(x).sum().backward()"), False),
    "read as a number": (GATE.format("return net(x) * y.mean().item()", "gate(x).sum().backward()"), False),
    "before it is changed": (
        "def gate(x):\n    y = torch.sigmoid(net(x))\n    y.sum().backward()\n    y *= 2\ngate(torch.ones(2))\n",
        False,
    ),
    "where it is not changed": (
        "def gate(x, more):\n    y = torch.sigmoid(net(x))\n    if more:\n        y *= 2\n        print(y.mean().item())\n"
        "    else:\n        return y\ngate(torch.ones(2), 0).sum().backward()\n",
        False,
    ),
}
MENDED = {
    "a name": ("y *= x", "y = y * x"),
    "more than that": ("y -= x + 1", "y = y - (x + 1)"),
    "in parentheses": ("y += (x + 1)", "y = y + (x + 1)"),
    "a call": ("y //= x.exp()", "y = y // x.exp()"),
}


@pytest.mark.parametrize(("code", "is_found"), RESULTS.values(), ids=RESULTS)
def test_what_backward_needs_is_told_from_what_it_does_not(program: Program, code: str, is_found: bool) -> None:
    assert len(program(HEAD + code).findings(RULE)) == is_found


@pytest.mark.parametrize(("code", "is_found"), WAYS.values(), ids=WAYS)
def test_a_backward_has_to_start_from_what_is_computed_of_it(program: Program, code: str, is_found: bool) -> None:
    assert len(program(HEAD + code).findings(RULE)) == is_found


@pytest.mark.parametrize(("before", "after"), MENDED.values(), ids=MENDED)
def test_what_is_changed_in_place_is_computed_anew(program: Program, before: str, after: str) -> None:
    (finding,) = program(HEAD + STEP.format("torch.sigmoid(net(x))", before)).findings(RULE)

    assert finding.fix is not None
    line = f"    {before}"
    for edit in sorted(finding.fix.edits, key=lambda one: one.span, reverse=True):
        line = line[: edit.span.column - 1] + edit.text + line[edit.span.end_column - 1 :]
    assert line == f"    {after}"


@pytest.mark.parametrize("change", ["y.mul_(2)", "y[0] *= 2", "y.data *= 2"])
def test_what_is_no_name_is_left_to_its_author(program: Program, change: str) -> None:
    (finding,) = program(HEAD + STEP.format("torch.sigmoid(net(x))", change)).findings(RULE)

    assert finding.fix is None
