"""Where modules are that are made on a device, or moved there by one arm of a choice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from rules.device.detectors.misplaced import misplaced_tensors
from tests.checkout import Checkout, asked
from torchlint.model import Project
from torchlint.model.values.value_sets import Device, Tensor
from torchlint.model.worlds import WITH_CUDA

Program: TypeAlias = Callable[[str], Checkout]
HEAD = """\
import sys
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=4)
net = nn.Linear(4, 2)
"""


def left_behind(folder: Path, body: str) -> list[str]:
    path = folder / "main.py"
    path.write_text(f"{HEAD}{body}\nfor (x,) in loader:\n    net(x)\n")
    return [
        one.place.text for one in asked(misplaced_tensors, Project(folder).open(path, "main.py"), WITH_CUDA, "batch")
    ]


@pytest.mark.parametrize(
    "body",
    [
        "net = net.cuda() if torch.cuda.is_available() else net",
        "net = net if not torch.cuda.is_available() else net.to(device)",
        "net = net.cuda() if sys.argv else net.to(device)",
        "net = nn.Linear(4, 2, device=device)",
        "net = nn.Linear(4, 2, device='cuda:0')",
        "net = nn.Linear(4, 2, device=device).train()",
        "net = net.cuda(None)",
        "net = net.to(device).to(None)",
    ],
)
def test_a_module_that_is_made_or_chosen_on_the_device_is_there(tmp_path: Path, body: str) -> None:
    assert left_behind(tmp_path, body) == ["x"]


@pytest.mark.parametrize(
    "body",
    [
        "net = net.cuda() if sys.argv else net",
        "net = net if torch.cuda.is_available() else net.cuda()",
        "net = nn.Linear(4, 2, device=None)",
        "net = nn.Linear(4, 2, device='cpu')",
        "net = nn.Linear(4, 2, device='meta')",
        "net = nn.Linear(4, 2, device=unknown)",
        "net = nn.Linear(4, 2, device='cuda').cpu()",
        "net.to(None)",
        "net = net.to(device=None)",
        "net.to(device=None, dtype=torch.float64)",
    ],
)
def test_a_module_that_may_be_on_the_host_is_not_on_the_device(tmp_path: Path, body: str) -> None:
    assert left_behind(tmp_path, body) == []


LAYER = """\
class Layer(nn.Module):
    def __init__(self, device={default}):
        super().__init__()
        self.left = nn.Parameter(torch.eye(4))
        self.to(device=device)
    def forward(self, x):
        return x @ self.left
net = Layer({given})
"""


@pytest.mark.parametrize(
    ("default", "given", "left"),
    [
        ("None", "", []),
        ("'cpu'", "", []),
        ("'cuda'", "None", []),
        ("device", "device='cpu'", []),
        ("None", "'cuda'", ["x"]),
        ("None", "device", ["x"]),
        ("device", "", ["x"]),
    ],
)
def test_a_module_that_moves_itself_nowhere_is_not_on_the_device(
    tmp_path: Path, default: str, given: str, left: list[str]
) -> None:
    assert left_behind(tmp_path, LAYER.format(default=default, given=given)) == left


@pytest.mark.parametrize(("moved", "device"), [("self.to(device)", Device()), ("self.part.cuda(1)", Device("cuda", 1))])
def test_a_part_that_moves_itself_to_the_host_goes_along(program: Program, moved: str, device: Device) -> None:
    checkout = program(
        f"""\
{HEAD}
class Part(nn.Module):
    def __init__(self, device="cpu"):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.to(device)
    def forward(self, x):
        return self.layer(x), 1
class Whole(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.part = Part()
        {moved}
    def forward(self, x):
        y, _ = self.part(x)
        return y
"""
    )
    assert [one.device for one in checkout.values("y", world=WITH_CUDA) if isinstance(one, Tensor)] == [device]


@pytest.mark.parametrize("weight", ["layer.weight", "getattr(layer, 'weight')", "getattr(layer, name)"])
def test_a_weight_is_where_its_layer_is_however_it_is_asked_for(program: Program, weight: str) -> None:
    checkout = program(f"{HEAD}\nname = 'weight'\nlayer = nn.Linear(4, 4).cuda(1)\nw = {weight}\nprint(w)\n")

    assert [one.device for one in checkout.values("w", world=WITH_CUDA) if isinstance(one, Tensor)] == [
        Device("cuda", 1)
    ]


@pytest.mark.parametrize(
    "losses",
    [
        "sum(one(out, y) for one in self.parts)",
        "sum(one(out, y) * i for i, one in enumerate(self.parts))",
        "sum(one(out, y) * w for w, one in zip(self.weights, self.parts))",
        "[one(out, y) for one in reversed(list(self.parts))]",
        "[one(out, y) for one in self.named.values()]",
        "[one(out, y) for name, one in self.named.items() if name]",
    ],
)
@pytest.mark.parametrize("is_module", [True, False])
def test_an_item_of_a_container_of_modules_is_where_that_is(program: Program, losses: str, *, is_module: bool) -> None:
    loss = "nn.CrossEntropyLoss(weight=torch.ones(2))"
    parts = f"nn.ModuleList([{loss}])", f'nn.ModuleDict({{"a": {loss}}})'
    made = parts if is_module else (f"[{loss}]", f'{{"a": {loss}}}')
    code = f"""{HEAD}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 2)
        self.weights = [1.0]
        self.parts = {made[0]}
        self.named = {made[1]}

    def forward(self, x, y):
        out = self.body(x)
        return {losses}

net = Net().to(device)
for (x,) in loader:
    net(x.to(device), torch.zeros(4, dtype=torch.long, device=device))
"""

    assert bool(program(code).reported("default-device-tensor")) is not is_module


MOVED_TWICE = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = nn.Linear(4, 2)

    def score(self, x):
        return model.part(x)

def run(x):
    return model.part(x)

model = Net()
"""
FIRST = 'model = model.to("cuda:1")\n'
LAST = 'model.to("cuda:0")\n'


@pytest.mark.parametrize("called", ["run", "model.score"])
@pytest.mark.parametrize(
    ("body", "rules"),
    [
        (f'{FIRST}y = CALLED(torch.ones(4, 4, device="cuda:1"))\n{LAST}', []),
        (f'{FIRST}{LAST}y = CALLED(torch.ones(4, 4, device="cuda:1"))\n', ["device-mismatch"]),
        (f'{FIRST}{LAST}y = CALLED(torch.ones(4, 4, device="cuda:0"))\n', []),
        (f'{FIRST}y = CALLED(torch.ones(4, 4, device="cuda:1"))\nmodel.cpu()\n', []),
        (f'{FIRST}y = CALLED(torch.ones(4, 4, device="cuda:0"))\n', ["device-mismatch"]),
    ],
)
def test_a_function_finds_a_global_module_where_it_is_when_it_is_called(
    program: Program, called: str, body: str, rules: list[str]
) -> None:
    code = program(MOVED_TWICE + body.replace("CALLED", called))

    assert [rule for rule in ("device-mismatch", "unmoved-batch") if code.reported(rule)] == rules
