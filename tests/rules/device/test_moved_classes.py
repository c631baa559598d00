"""A tensor that does not move with its module is an error only where the project moves such a module to a GPU."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

RULE = "unregistered-tensor"
HEAD = """\
import torch
from torch import nn
from torch.nn import DataParallel


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.mask = torch.ones(4)

    def forward(self, x):
        return self.layer(x) * self.mask


class Small(Masked):
    pass


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.masked = Masked()

    def forward(self, x):
        return self.masked(x)


class Other(nn.Module):
    def forward(self, x):
        return x


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
MOVED = {
    "and called": "net = Masked().to(device)\nnet(torch.ones(4, device=device))\n",
    "in place": "net = Masked()\nnet.cuda()\n",
    "given on": "import trainers\ntrainers.fit(Masked().to(device))\n",
    "of a subclass": "net = Small().to(device)\n",
    "with one": "both = Both().to(device)\n",
    "wrapped": "net = DataParallel(Both())\nnet.to(device)\n",
    "by a function": "def moved(net):\n    return net.to(device)\nmoved(Masked())\n",
}
NOT_MOVED = {
    "nothing": "",
    "left": "net = Masked()\nnet(torch.ones(4))\n",
    "to the host": "net = Masked().to('cpu')\n",
    "only converted": "net = Masked().to(torch.float64)\n",
    "another class": "net = Masked()\nother = Other().to(device)\n",
    "another tensor": "net = Masked()\nrows = torch.ones(4).cuda()\n",
    "an unknown module": "from nets import net\nnet.to(device)\n",
}


def level(project: Checkout) -> tuple[str, str]:
    """Return the severity and the confidence of the finding."""
    (found,) = project.findings(RULE)
    return found.severity.value, found.confidence.value


@pytest.mark.parametrize("body", MOVED.values(), ids=MOVED)
def test_it_is_an_error_if_a_module_of_the_class_or_with_one_is_moved(
    program: Callable[[str], Checkout], body: str
) -> None:
    assert level(program(HEAD + body)) == ("error", "high")


@pytest.mark.parametrize("body", NOT_MOVED.values(), ids=NOT_MOVED)
def test_it_is_a_warning_if_nothing_in_view_moves_one(program: Callable[[str], Checkout], body: str) -> None:
    assert level(program(HEAD + body)) == ("warning", "medium")


def test_a_move_in_another_file_shows_it_too(project_of: Callable[[dict[str, str]], Checkout]) -> None:
    train = "from main import Both\nmodel = Both()\nmodel.cuda()\n"

    assert level(project_of({"main.py": HEAD, "train.py": train})) == ("error", "high")


def test_a_module_that_moves_its_input_needs_no_moved_module(program: Callable[[str], Checkout]) -> None:
    assert level(program(HEAD.replace("self.layer(x)", "self.layer(x.cuda())"))) == ("error", "high")
