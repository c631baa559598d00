"""Modules without parameters and buffers, which may be moved anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

HEAD = """\
import torch
from torch import nn
from elsewhere import build

class Loss(nn.Module):
    def __init__(self, bound, inner=None):
        super().__init__()
        self.bound = -torch.log(torch.tensor(0.7))
        self.inner = nn.CrossEntropyLoss(reduction="none")
        {store}

    def forward(self, x, y):
        return self.inner(x, y).mean()

class Spread(nn.DataParallel):
    def spare(self):
        return self.device_ids[1:]

class Learned(nn.DataParallel):
    def __init__(self, module):
        super().__init__(module)
        self.scale = nn.Parameter(torch.ones(1))
"""
MOVED = "Loss(0.5).cuda()"


@pytest.mark.parametrize(
    "code",
    [
        "nn.CrossEntropyLoss().cuda()",
        "nn.MSELoss(reduction='sum').to('cuda')",
        "nn.ReLU(True).cuda()",
        MOVED,
        "(nn.ReLU() if test else build()).cuda()",
        "nn.DataParallel(nn.ReLU()).cuda()",
        "nn.DataParallel(Loss(0.5)).to('cuda')",
        "torch.compile(module=nn.ReLU()).cuda()",
        "Spread(Loss(0.5)).cuda()",
        "nn.Sequential().cuda()",
        "nn.Sequential(nn.ReLU(), nn.Sequential(nn.Flatten())).cuda()",
        "Loss(0.5, nn.Sequential(nn.ReLU())).cuda()",
    ],
)
def test_what_has_nothing_to_move_runs_without_cuda(program: Program, code: str) -> None:
    assert program(HEAD.format(store="self.count = 0") + code).reported("hardcoded-cuda") == []


@pytest.mark.parametrize(
    "code",
    [
        "nn.Linear(2, 2).cuda()",
        "nn.CrossEntropyLoss(weight=torch.ones(3)).cuda()",
        "nn.CrossEntropyLoss(torch.ones(3)).cuda()",
        "nn.BCEWithLogitsLoss(pos_weight=torch.ones(3)).to('cuda')",
        "nn.PReLU().cuda()",
        "(nn.ReLU() if test else nn.Linear(2, 2)).cuda()",
        "build().cuda()",
        "nn.DataParallel(nn.Linear(2, 2)).cuda()",
        "nn.DataParallel(build()).cuda()",
        "Spread(nn.Linear(2, 2)).cuda()",
        "Learned(nn.ReLU()).cuda()",
        "nn.Sequential(nn.ReLU(), nn.Linear(2, 2)).cuda()",
        "nn.Sequential(*build()).cuda()",
        "nn.Sequential(build()).cuda()",
    ],
)
def test_what_may_have_something_to_move_asks_for_cuda(program: Program, code: str) -> None:
    assert program(HEAD.format(store="") + code).reported("hardcoded-cuda") == [code]


@pytest.mark.parametrize(
    "store",
    [
        "self.scale = nn.Parameter(torch.ones(1))",
        "self.register_buffer('scale', torch.ones(1))",
        "self.head = nn.Linear(2, 2)",
        "self.head = build()",
        "self.add_module('head', nn.Linear(2, 2))",
    ],
)
def test_a_class_that_may_register_something_asks_for_cuda(program: Program, store: str) -> None:
    assert program(HEAD.format(store=store) + MOVED).reported("hardcoded-cuda") == [MOVED]


FLAGGED = """\
import torch
from torch import nn
from elsewhere import given

class Loss(nn.Module):
    def __init__(self, weighted):
        super().__init__()
        self.loss = nn.MSELoss()
        self.weighted = weighted

    def forward(self, x, y, w):
        {use}

Loss(given()).cuda()
"""


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("return self.loss(x * w, y * w) if self.weighted else self.loss(x, y)", []),
        ("return self.loss(x * w if not self.weighted or w is None else x, y)", []),
        ("return self.loss(x * self.weighted, y)", ["Loss(given()).cuda()"]),
        ("return self.weighted(x) if self.weighted else self.loss(x, y)", ["Loss(given()).cuda()"]),
    ],
)
def test_what_a_class_only_asks_for_moves_nothing(program: Program, use: str, found: list[str]) -> None:
    assert program(FLAGGED.format(use=use)).reported("hardcoded-cuda") == found


WEIGHTED = """\
import torch
from torch import nn
from elsewhere import given

class Loss(nn.Module):
    def __init__(self, weight=None, ignore=-100):
        super().__init__()
        self.loss = nn.NLLLoss(weight, ignore_index=ignore)

    def forward(self, x, y):
        return self.loss(x, y)

class Smooth(Loss):
    def __init__(self, weight):
        super().__init__(weight)

Loss(torch.ones(3))
Loss({weight}).cuda()
"""


@pytest.mark.parametrize("weight", ["", "None", "weight=None", "ignore=given()"])
def test_a_loss_that_is_given_no_weight_has_nothing_to_move(program: Program, weight: str) -> None:
    assert program(WEIGHTED.format(weight=weight)).reported("hardcoded-cuda") == []


@pytest.mark.parametrize(
    "weight", ["torch.ones(3)", "weight=given()", "None if given() else torch.ones(3)", "*given()"]
)
def test_a_loss_that_may_be_given_a_weight_asks_for_cuda(program: Program, weight: str) -> None:
    assert program(WEIGHTED.format(weight=weight)).reported("hardcoded-cuda") == [f"Loss({weight}).cuda()"]


@pytest.mark.parametrize(
    ("made", "is_found"),
    [
        ("nn.NLLLoss(None, reduction=given())", False),
        ("nn.HuberLoss('sum', 0.5)", False),
        ("nn.BCEWithLogitsLoss(None, None, None, 'mean', torch.ones(3))", True),
        ("nn.CrossEntropyLoss(**given())", True),
        ("Smooth(torch.ones(3))", True),
    ],
)
def test_a_weight_may_come_at_any_position(program: Program, made: str, is_found: bool) -> None:
    code = WEIGHTED.format(weight="").replace("Loss().cuda()", f"{made}.cuda()")

    assert bool(program(code).reported("hardcoded-cuda")) is is_found


SETTINGS = """\
class AttrDict(dict):
    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value

cfg = AttrDict()
cfg.DATA = AttrDict()
cfg.DATA.CLASSES = 0
def update(classes):
    cfg.DATA.CLASSES = classes
"""
SET = """\
import torch
from torch import nn
from config import cfg
from elsewhere import given

class Loss(nn.Module):
    def __init__(self, classes, bound=cfg.BOUND):
        super().__init__()
        self.classes, self.bound = classes, bound
        self.border = cfg.BORDER

    def forward(self, x):
        return {use}

Loss({classes}).cuda()
"""
KNOWN_BY_SETTINGS = "x.view(-1, self.classes) * self.bound"


@pytest.mark.parametrize(
    "classes", ["cfg.DATA.CLASSES", "classes=cfg.DATA.CLASSES", "cfg.DATA['CLASSES'], 0.5", "cfg['CLASSES']"]
)
def test_what_comes_out_of_settings_moves_nothing(project_of: ProjectOf, classes: str) -> None:
    files = {"config.py": SETTINGS, "main.py": SET.format(classes=classes, use=KNOWN_BY_SETTINGS)}

    assert project_of(files).reported("hardcoded-cuda") == []


@pytest.mark.parametrize(
    ("classes", "use"),
    [
        ("given()", KNOWN_BY_SETTINGS),
        ("given().CLASSES", KNOWN_BY_SETTINGS),
        ("cfg.DATA.CLASSES, given()", KNOWN_BY_SETTINGS),
        ("*given()", KNOWN_BY_SETTINGS),
        ("cfg.LOSS", "self.classes(x)"),
        ("cfg.NET", KNOWN_BY_SETTINGS),
    ],
)
def test_what_may_come_from_anywhere_asks_for_cuda(project_of: ProjectOf, classes: str, use: str) -> None:
    code = SET.format(classes=classes, use=use).replace("class Loss", "cfg.NET = nn.Linear(2, 2)\nclass Loss")

    found = project_of({"config.py": SETTINGS, "main.py": code}).reported("hardcoded-cuda")

    assert found == [f"Loss({classes}).cuda()"]


@pytest.mark.parametrize("put", ["net.append(nn.Linear(2, 2))", "net.add_module('a', build())", "net[0] = build()"])
def test_a_container_that_is_filled_later_asks_for_cuda(program: Program, put: str) -> None:
    code = HEAD.format(store="") + f"net = nn.Sequential(nn.ReLU())\n{put}\nnet.cuda()"

    assert program(code).reported("hardcoded-cuda") == ["net.cuda()"]


@pytest.mark.parametrize(("given", "found"), [("nn.Sequential()", []), ("nn.Linear(2, 2)", ["Around(held).cuda()"])])
def test_a_class_around_a_container_has_what_that_holds(program: Program, given: str, found: list[str]) -> None:
    around = (
        "class Around(nn.Module):\n    def __init__(self, net):\n        super().__init__()\n        self.net = net\n"
    )
    code = f"import torch\nfrom torch import nn\n{around}held = {given}\nAround(held).cuda()"

    assert program(code).reported("hardcoded-cuda") == found


def test_a_container_that_a_subclass_fills_asks_for_cuda(program: Program) -> None:
    code = """\
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList()

class Deep(Base):
    def __init__(self):
        super().__init__()
        self.layers.append(nn.Linear(2, 2))

Deep().cuda()
"""

    assert program(code).reported("hardcoded-cuda") == ["Deep().cuda()"]


@pytest.mark.parametrize(("net", "found"), [("nn.Sequential(nn.ReLU())", []), ("nn.Linear(2, 2)", ["print(net(x))"])])
def test_what_has_nothing_to_move_takes_tensors_from_anywhere(program: Program, net: str, found: list[str]) -> None:
    code = f"""\
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = {net}
net.to(device)
x = torch.rand(2, 2)
print(net(x))
"""

    assert program(code).reported("unmoved-batch") == found


@pytest.mark.parametrize(("net", "is_found"), [("nn.Sequential(nn.ReLU())", False), ("nn.Linear(2, 2)", True)])
def test_what_has_nothing_to_move_leaves_tensors_where_they_are(program: Program, net: str, is_found: bool) -> None:
    code = f"""\
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = {net}
net.to(device)
print(net(torch.rand(2, 2).to({"device" if is_found else "'cpu'"})) + torch.ones(2, 2))
"""

    assert bool(program(code).reported("device-mismatch")) is is_found
