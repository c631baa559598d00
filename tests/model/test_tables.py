"""Who calls the functions and classes that a program takes out of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

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
    "one after the other": "for kind in (small, Net):\n    kind(3)",
    "out of a list": "kinds = [Net, small]\nfor kind in kinds:\n    kind(3)",
    "with their names": "for name, kind in [('net', Net), ('small', small)]:\n    kind(3)",
    "with their numbers": "for number, kind in enumerate((Net, small)):\n    kind(3)",
    "by the items of a dict": "table = {'net': Net, 'small': small}\nfor name, kind in table.items():\n    kind(3)",
    "by the values of a dict": "table = {'net': Net}\ndef main():\n    for kind in table.values():\n        kind(3)\nmain()",
    "in a comprehension": "nets = [kind(3) for kind in (small, Net)]",
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


REGISTRY = "from fvcore.common.registry import Registry\nMODELS = Registry('MODELS')\n"
REGISTERED = """\
from registry import MODELS

@MODELS.register()
class Net:
    def __init__(self, width):
        use(width)  # net

@other.register()
class Other:
    def __init__(self, width):
        use(width)  # other
"""
REGISTRY_CALLS = {
    "whatever it is": "MODELS.get(args.name)(5)",
    "by its name": "MODELS.get('Net')(width=5)",
    "taken out first": "kind = MODELS.get(args.name)\nkind(5)",
    "in a function": "def build(width):\n    return MODELS.get(args.name)(width)\nbuild(5)",
}


@pytest.mark.parametrize("code", REGISTRY_CALLS.values(), ids=REGISTRY_CALLS)
def test_what_is_registered_is_given_what_the_call_of_the_registry_passes(project_of: ProjectOf, code: str) -> None:
    project = project_of({
        "registry.py": REGISTRY, "nets.py": REGISTERED, "main.py": f"from registry import MODELS\nimport nets\n{code}\n",
    })  # fmt: skip

    assert project.literals("width", "nets.py", "net") == [5]
    assert project.literals("width", "nets.py", "other") == ["Unknown"]


def test_the_file_of_what_is_registered_may_build_it_too(project_of: ProjectOf) -> None:
    code = REGISTERED.replace("from registry import MODELS\n", REGISTRY) + "MODELS.get(args.name)(6)\n"

    assert project_of({"nets.py": code}).literals("width", "nets.py", "net") == [6]


def test_what_is_registered_under_another_name_is_not_called(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "registry.py": REGISTRY,
            "nets.py": REGISTERED,
            "main.py": "from registry import MODELS\nMODELS.get('Huge')(5)\n",
        }
    )

    assert project.literals("width", "nets.py", "net") == ["Unknown"]


BUILT = """\
import torch
from registry import MODELS
import nets
def build(gpus=1):
    if not torch.cuda.is_available():
        assert gpus == 0
    return MODELS.get(args.name)(gpus)
build()
"""
MASKED = """\
import torch
from registry import MODELS
@MODELS.register()
class Net(torch.nn.Module):
    def __init__(self, gpus):
        super().__init__()
        self.mask = torch.ones(3).cuda()
"""


@pytest.mark.parametrize(("check", "count"), [("assert gpus == 0", 0), ("print('slow')", 1)])
def test_what_guards_the_call_of_a_registry_guards_what_is_registered(
    project_of: ProjectOf, check: str, count: int
) -> None:
    main = BUILT.replace("assert gpus == 0", check)
    project = project_of({"registry.py": REGISTRY, "nets.py": MASKED, "main.py": main})

    assert len(project.findings("hardcoded-cuda", "nets.py")) == count


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
