"""Who calls the functions and classes that a program takes out of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

NETS = """\
class Net:
    def __init__(self, width, depth=1):
        use(width)  # net

def small(width):
    use(width)  # small
"""
CALLED = {
    "a dict": "table = {'net': Net, 'small': small}\ntable['net'](3)",
    "by get": "table = {'small': small,\n 'net': Net}\ntable.get('net')(3)",
    "a tuple": "table = (small, Net)\ntable[1](3)",
    "an attribute": "class Models:\n    table = {'net': Net}\nModels.table['net'](3)",
    "of an object": "class Models:\n    def __init__(self):\n        self.table = {'net': Net}\n"
    "    def make(self):\n        return self.table['net'](3)\nModels().make()",
    "taken out first": "table = {'net': Net}\nkind = table['net']\nkind(3)",
    "by whatever name": "import sys\ntable = {'net': Net}\ntable[sys.argv[1]](3)",
}


@pytest.mark.parametrize("code", CALLED.values(), ids=CALLED)
def test_what_is_called_out_of_a_table_is_given_what_the_call_passes(project_of: ProjectOf, code: str) -> None:
    project = project_of({"nets.py": NETS, "main.py": f"from nets import Net, small\n{code}\n"})

    assert project.literals("width", "nets.py", "net") == [3]


def test_another_file_may_call_out_of_the_table(project_of: ProjectOf) -> None:
    project = project_of({
        "nets.py": NETS + "TABLE = {\n    'net': Net,\n    'small': small\n}\n",
        "main.py": "from nets import TABLE\nTABLE['net'](3)\n",
        "other.py": "import nets\ndef build(name, **more):\n    return nets.TABLE['small'](**more)\nbuild(width=4)\n",
    })  # fmt: skip

    assert project.literals("width", "nets.py", "net") == [3]
    assert project.literals("width", "nets.py", "small") == [4]


def test_what_is_under_another_key_is_not_called(project_of: ProjectOf) -> None:
    code = "from nets import Net, small\ntable = {'net': Net, 'small': small}\ntable['net'](3)\n"
    project = project_of({"nets.py": NETS, "main.py": code})

    assert project.literals("width", "nets.py", "small") == ["Unknown"]


KEEPING = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width, device=torch.device('cuda:0')):
        super().__init__()
        self.head = nn.Linear(width, 1)
        {use}
"""
BUILDING = """\
import torch
from nets import Net

class Experiment:
    def __init__(self):
        self.device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
        self.model = self.build()

    def build(self):
        table = {{'net': Net}}
        return table['net'](4{device})

Experiment()
"""
READ, UNREAD = "self.start = torch.zeros(3, device=device)", "self.width = width"


@pytest.mark.parametrize(
    ("use", "device", "is_found"),
    [(READ, ", self.device", False), (READ, "", True), (UNREAD, "", False)],
    ids=["passed", "left to it", "never read"],
)
def test_a_default_is_needed_where_a_call_leaves_to_it_what_is_read(
    project_of: ProjectOf, use: str, device: str, *, is_found: bool
) -> None:
    project = project_of({"nets.py": KEEPING.format(use=use), "main.py": BUILDING.format(device=device)})

    assert bool(project.reported("hardcoded-cuda", "nets.py")) is is_found
