"""What shows that the module of a method is on a GPU, and what is only assumed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

HEAD = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def encode(self, x):
        return self.layer(x) + torch.ones(4)

    def forward(self, x):
        return self.encode(x)

    def sample(self, x):
        return self.layer(x).detach().numpy()


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, x):
        return self.net(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
RULES = ("default-device-tensor", "numpy-of-device-tensor")


def levels(project: Checkout) -> dict[str, str]:
    """Return the severity of the finding of each rule."""
    return {one.rule: one.severity.value for rule in RULES for one in project.findings(rule)}


@pytest.mark.parametrize(
    "body",
    [
        "net = Net().to(device)\nnet(torch.ones(4, device=device))\n",
        "net = Net().cuda()\nnet.encode(torch.ones(4).cuda())\nnet.sample(torch.ones(4).cuda())\n",
        "both = Both().to(device)\nboth(torch.ones(4, device=device))\n",
        "def run(net):\n    net(torch.ones(4, device=device))\nrun(Net().to(device))\n",
    ],
)
def test_it_is_an_error_if_a_module_of_the_class_is_moved(program: Callable[[str], Checkout], body: str) -> None:
    assert levels(program(HEAD + body)) == dict.fromkeys(RULES, "error")


@pytest.mark.parametrize("body", ["", "def build():\n    return Net()\n", "def run(net):\n    return net(0)\n"])
def test_it_is_a_warning_if_nothing_in_view_moves_one(program: Callable[[str], Checkout], body: str) -> None:
    assert levels(program(HEAD + body)) == dict.fromkeys(RULES, "warning")


def test_a_tensor_that_the_method_moves_itself_needs_no_moved_module(program: Callable[[str], Checkout]) -> None:
    body = "class Own(nn.Module):\n    def forward(self, x):\n        x = x.cuda()\n        return x.numpy()\n"
    assert levels(program("import torch\nfrom torch import nn\n" + body)) == {"numpy-of-device-tensor": "error"}


@pytest.mark.parametrize(
    ("body", "level"), [("", "warning"), ("net = Normed().to(device)\nnet(torch.ones(4, device=device))\n", "error")]
)
def test_a_module_that_forward_makes_is_on_the_host(program: Callable[[str], Checkout], body: str, level: str) -> None:
    normed = """\
class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return nn.LayerNorm(4)(self.layer(x) + x)


"""
    head = HEAD[: HEAD.index("class Net")] + normed + HEAD[HEAD.index("device =") :]

    found = program(head + body).findings("device-mismatch")

    assert [one.severity.value for one in found] == [level]


HELPED = """\
import torch
from torch import nn


def drop(rows, share):
    mask = (torch.rand(rows.shape) > share).float()
    return mask * rows / (1.0 - share)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, rows):
        return self.second(drop(torch.relu(self.first(rows)), 0.5))


class Other(nn.Module):
    def forward(self, rows):
        return rows


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ("Net()(torch.ones(4))\n", "warning"),
        ("net = Net().to(device)\nnet(torch.ones(4, device=device))\n", "error"),
        # Any module has a `forward`: another one on a GPU shows nothing of this one.
        ("net = Other().to(device)\nnet.forward(torch.ones(4, device=device))\n", "warning"),
        ("from nets import net\nnet.to(device)\nnet.forward(torch.ones(4, device=device))\n", "warning"),
    ],
    ids=["left", "moved", "another one", "unknown one"],
)
def test_a_function_that_a_method_calls_is_where_its_module_is(
    program: Callable[[str], Checkout], body: str, level: str
) -> None:
    found = program(HELPED + body).findings("device-mismatch")

    assert [one.severity.value for one in found if "mask" in one.message] == [level]
