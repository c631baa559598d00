"""Which lists and dicts of a module hide its layers."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project

HEAD = "import torch\nfrom torch import nn\n\n"
LOSSES = "self.losses = []\nfor _ in range(2):\n    self.losses.append({'f': nn.Linear(2, 2)})\n"


def hidden(folder: Path, body: str, outside: str = "", after: str = "") -> list[int]:
    """Return the lines of the hiding containers of a module with this `__init__`, counted within it."""
    lines = ["class Net(nn.Module):", "    def __init__(self, width, given=None):", "        super().__init__()"]
    lines += [f"        {line}" for line in body.splitlines()]
    text = HEAD + outside + "\n".join(lines) + "\n" + after
    path = folder / "net.py"
    path.write_text(text)
    first = text[: text.rindex("super().__init__()")].count("\n") + 1
    file = Project(folder).open(path, "net.py")
    kind = next(kind for kind in file.classes() if kind.name == "Net")
    return [found.place.line - first for found in kind.hidden_modules()]


@pytest.mark.parametrize(
    "body",
    [
        "self.layers = [nn.Linear(2, 2), nn.Linear(2, 1)]",
        "self.layers = (nn.Linear(2, 2), nn.ReLU())",
        "self.layers = [nn.Linear(2, 2) for _ in range(3)]",
        "self.layers = [[nn.Linear(2, 2) for _ in range(3)] for _ in range(2)]",
        "self.layers = []\nself.layers.append(nn.Linear(2, 2))",
        "self.layers = []\nself.layers += [nn.Conv1d(2, 2, k) for k in (3, 5)]",
        "self.layers = []\nfor _ in range(2):\n    layer = nn.Linear(2, 2)\n    self.layers.append(layer)",
        "self.heads = {}\nself.heads['a'] = nn.Linear(2, 2)",
        "self.heads = dict(a=nn.Linear(2, 2))",
        "self.heads = {n: nn.ParameterList() for n in 'ab'}",
        "self.weights = [nn.Parameter(torch.zeros(width)) for _ in range(2)]",
        f"{LOSSES}self.more = {{}}\nfor one in self.losses:\n    self.more.update(one)",
        f"{LOSSES}self.net = nn.ModuleList()\nfor one in given:\n    self.net.append(one['f'])",
    ],
)
def test_layers_made_for_a_container_are_hidden_in_it(tmp_path: Path, body: str) -> None:
    assert hidden(tmp_path, body) == [1]


@pytest.mark.parametrize(
    ("use", "hides"),
    [
        ("self.teacher[0] = self.teacher[0].to(x.device)", False),
        ("self.teacher[0] = nn.Linear(2, 2)", False),
        ("self.teacher.append(nn.Linear(2, 2))", True),
    ],
)
def test_a_list_of_one_name_hides_a_module_on_purpose(tmp_path: Path, use: str, *, hides: bool) -> None:
    body = "teacher = nn.Linear(2, 2)\nself.teacher = [teacher]"
    after = f"    def forward(self, x):\n        {use}\n        return self.teacher[0](x)\n"

    assert bool(hidden(tmp_path, body, after=after)) is hides


def test_a_local_list_that_becomes_an_attribute_hides(tmp_path: Path) -> None:
    body = "layers = []\nfor _ in range(3):\n    layers.append(nn.Linear(2, 2))\nself.layers = layers"

    assert hidden(tmp_path, body) == [4]


def test_layers_that_a_function_of_the_project_makes_are_seen(tmp_path: Path) -> None:
    outside = "def block(width):\n    return nn.Sequential(nn.Linear(width, width), nn.ReLU())\n\n"

    assert hidden(tmp_path, "self.blocks = [block(width) for _ in range(2)]", outside) == [1]


PUTTING = """
def put(net, path, part=None):
    *first, last = path.split(".")
    {how}

"""
PUT = "self.heads = {{}}\nfor path in given:\n    head = nn.Linear(2, 2)\n    {put}\n    self.heads[path] = head"


@pytest.mark.parametrize(
    ("how", "put", "hides"),
    [
        ("setattr(reduce(getattr, first, net), last, part)", "put(self.net, path, head)", False),
        ("net.add_module(last, part)", "put(self.net, path, part=head)", False),
        ("setattr(net, last, part)", "put(head, path)", True),
        ("setattr(net, part, last)", "put(self.net, path, head)", True),
        ("print(net, last, part)", "put(self.net, path, head)", True),
        ("setattr(net, last, part)", "put(self.net, path, nn.Linear(2, 2))", True),
    ],
)
def test_what_a_function_registers_is_not_hidden(tmp_path: Path, how: str, put: str, *, hides: bool) -> None:
    outside = "from functools import reduce\n" + PUTTING.format(how=how)

    assert bool(hidden(tmp_path, PUT.format(put=put), outside)) is hides


def test_layers_of_a_class_of_the_project_are_seen(tmp_path: Path) -> None:
    outside = (
        "class Block(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layer = nn.Linear(2, 2)\n\n"
    )

    assert hidden(tmp_path, "self.blocks = [Block() for _ in range(2)]", outside) == [1]


@pytest.mark.parametrize(
    "body",
    [
        "layers = [nn.Linear(2, 2), nn.ReLU()]\nself.net = nn.Sequential(*layers)",
        "self.layers = [nn.Linear(2, 2), nn.ReLU()]\nself.net = nn.ModuleList(self.layers)",
        "self.layers = [nn.Linear(2, 2), nn.ReLU()]\nself.layers = nn.ModuleList(self.layers)",
        "self.a = nn.Linear(2, 2)\nself.b = nn.Linear(2, 2)\nself.layers = [self.a, self.b]",
        "layer = nn.Linear(2, 2)\nself.a = layer\nself.layers = [layer, layer]",
        "self.layers = []\nlayer = nn.Linear(2, 2)\nself.add_module('a', layer)\nself.layers.append(layer)",
        "self.layers = [nn.ReLU(), nn.Dropout(0.5), torch.tanh]",
        "self.losses = [nn.L1Loss(), nn.MSELoss()]",
        "self.kinds = [nn.Linear, nn.Conv2d]",
        "self.hidden = [given]",
        "self.layers = [layer for layer in given]",
        "self.sizes = [width, 2 * width]",
        f"{LOSSES}self.net = nn.ModuleList()\nfor one in self.losses:\n    if one['f']:\n        self.net.append(one['f'])",
    ],
)
def test_what_is_registered_elsewhere_or_has_no_parameters_is_not_hidden(tmp_path: Path, body: str) -> None:
    assert hidden(tmp_path, body) == []


TABLE = "self.nets = {'a': nn.Linear(2, 2), 'b': nn.Linear(2, 1)}\n"


@pytest.mark.parametrize(
    "body",
    [
        TABLE + "self.net = self.nets[given]",
        TABLE + "self.net = self.nets.get(given)",
        TABLE + "if given not in self.nets: raise KeyError\nnet = self.nets[given]\nself.net = net",
        "self.nets = {}\nself.nets['a'] = nn.Linear(2, 2)\nself.net = self.nets[given]",
        "nets = {'a': nn.Linear(2, 2)}\nself.nets = nets\nself.net = nets[given]",
    ],
)
def test_what_is_picked_from_a_table_is_registered_and_the_rest_is_not_used(tmp_path: Path, body: str) -> None:
    assert hidden(tmp_path, body) == []


PICKING = """
    def pick(self, name):
        try:
            net = self.nets[name]
        except KeyError:
            raise ValueError(name)
        else:
            return net
"""
USING = {
    "called": "        return self.nets[self.name](x)",
    "picked for one call": "        net = self.nets[self.name]\n        return net(x)",
    "remembered": "        self.net = self.nets[self.name]\n        return self.net(x)",
    "all of them": "        return sum(net(x) for net in self.nets.values())",
}


def test_what_a_method_picks_from_a_table_may_be_registered_by_its_caller(tmp_path: Path) -> None:
    assert hidden(tmp_path, TABLE + "self.net = self.pick(given)", after=PICKING) == []


@pytest.mark.parametrize("use", USING.values(), ids=USING)
def test_a_table_that_forward_uses_hides_its_modules(tmp_path: Path, use: str) -> None:
    body = TABLE + "self.net = self.nets[given]"
    method = f"\n    def forward(self, x):\n{use}\n"

    assert hidden(tmp_path, body, after=method) == [1]


def test_a_class_that_moves_its_own_list_knows_of_it(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(
        HEAD + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layers = [nn.Linear(2, 2)]\n\n    def _apply(self, function):\n        return self\n"
    )
    (kind,) = Project(tmp_path).open(path, "net.py").classes()

    assert list(kind.hidden_modules()) == []


def test_a_plain_class_hides_nothing(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(HEAD + "class Net:\n    def __init__(self):\n        self.layers = [nn.Linear(2, 2)]\n")
    (kind,) = Project(tmp_path).open(path, "net.py").classes()

    assert list(kind.hidden_modules()) == []


@pytest.mark.parametrize(("base", "expected"), [("LightningDataModule", 0), ("LightningModule", 1)])
def test_a_data_module_is_no_module(tmp_path: Path, base: str, expected: int) -> None:
    path = tmp_path / "data.py"
    path.write_text(
        HEAD
        + f"from lightning import {base}\nclass Parts({base}):\n    def __init__(self):\n        super().__init__()\n"
        "        self.parts = [nn.Linear(2, 2), nn.Linear(2, 2)]\n"
    )
    (kind,) = Project(tmp_path).open(path, "data.py").classes()

    assert len(list(kind.hidden_modules())) == expected


def test_a_data_module_is_no_member_that_a_list_hides(tmp_path: Path) -> None:
    outside = "from pytorch_lightning import LightningDataModule\nclass Coco(LightningDataModule): pass\n\n"

    assert hidden(tmp_path, "self.sets = [Coco(), Coco()]", outside) == []
