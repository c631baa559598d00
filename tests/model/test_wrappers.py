"""What is inside a wrapper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.checkout import Checkout, check_out
from torchlint.model import Project
from torchlint.model.parallel.wrappers import wrappings

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]


@pytest.mark.parametrize(
    "made",
    [
        "nn.DataParallel(Net())",
        "torch.compile(nn.DataParallel(Net()))",
        "nn.DataParallel(nn.SyncBatchNorm.convert_sync_batchnorm(Net()))",
        "nn.DataParallel(apex.parallel.convert_syncbn_model(Net()))",
    ],
)
def test_calling_a_wrapper_runs_the_forward_of_the_module_inside(tmp_path: Path, made: str) -> None:
    path = tmp_path / "main.py"
    text = (
        f"import apex, torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x): pass\n{made}(1)\n"
    )
    path.write_text(text)

    calls = [call for call in Project(tmp_path).open(path, "main.py").all_calls() if call.text == f"{made}(1)"]

    assert [function.scope.name for call in calls for function in call.callees] == ["forward"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", "Tensor"),
        ("def forward(self, x): return 5", "Literal"),
        ("def forward(self, x): return super().forward(x)", "Tensor"),
    ],
    ids=["nothing of its own", "a forward of its own", "a forward that leads back"],
)
def test_calling_a_subclass_of_a_wrapper_returns_what_its_forward_does(
    tmp_path: Path, body: str, expected: str
) -> None:
    checkout = check_out(
        tmp_path,
        {
            "main.py": "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
            "    def forward(self, x): return torch.zeros(2)\n"
            f"class Parallel(nn.DataParallel):\n    {body}\nnet = Parallel(Net())\ny = net(1)\n"
        },
    )

    values = checkout.values("net(1)")

    assert [type(value).__name__ for value in values] == [expected]


REWRAPPING = {
    "in one statement": "self.model = DDP(self.model)",
    "by a name in between": "model = DDP(self.model)\n        self.model = model",
    "moved on the way": "self.model = DDP(self.model.cuda()).eval()",
    "by a method": "self.model = self.wrap(self.model)",
    "where there are several": "if self.many: self.model = DDP(self.model)",
    "by one of two wrappers": (
        "if self.many: self.model = DDP(self.model)\n        else: self.model = nn.DataParallel(self.model)"
    ),
}


def rewrapped(project_of: ProjectOf, wrapping: str, saved: str) -> set[str]:
    """Return the lines that are reported of a trainer that wraps its own model in a method of its own and saves it in another."""
    program = (
        "import torch\nfrom torch import nn\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
        "def bare(model): return model.module if isinstance(model, (nn.DataParallel, DDP)) else model\n"
        "class Trainer:\n    def __init__(self, model, many):\n        self.model, self.many = model, many\n"
        "    def wrap(self, model):\n        return DDP(model)\n"
        f"    def distribute(self):\n        {wrapping}\n"
        f"    def save(self):\n        state = {saved}.state_dict()\n        torch.save(state, 'm.pt')\n"
    )
    return set(project_of({"main.py": program}).reported("wrapped-state-dict"))


@pytest.mark.parametrize("wrapping", REWRAPPING.values(), ids=REWRAPPING)
@pytest.mark.parametrize("saved", ["self.model.module", "bare(self.model)"])
def test_a_wrapper_put_in_the_place_of_a_module_is_not_around_itself(
    project_of: ProjectOf, wrapping: str, saved: str
) -> None:
    assert rewrapped(project_of, wrapping, saved) == set()


@pytest.mark.parametrize("wrapping", REWRAPPING.values(), ids=REWRAPPING)
def test_a_wrapper_put_in_the_place_of_a_module_is_saved_as_one(project_of: ProjectOf, wrapping: str) -> None:
    assert rewrapped(project_of, wrapping, "self.model") == {"state = self.model.state_dict()"}


@pytest.mark.parametrize(
    ("wrapping", "saved"),
    [
        ("self.model = torch.compile(self.model); self.model = DDP(self.model)", "self.model.module"),
        ("self.outer = DDP(DDP(self.model))", "self.outer.module"),
    ],
    ids=["compiled, then wrapped", "wrapped twice"],
)
def test_a_wrapper_inside_another_one_stays_when_that_is_taken_off(
    project_of: ProjectOf, wrapping: str, saved: str
) -> None:
    assert rewrapped(project_of, wrapping, saved) == {f"state = {saved}.state_dict()"}


ONE_OR_THE_OTHER = """
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
def main(gpus, distributed):
    model = nn.Linear(2, 2)
    {first}
    {then}
    torch.save(model.{inside}.state_dict(), "m.pt")
"""


@pytest.mark.parametrize(
    ("first", "then", "inside", "is_reported"),
    [
        ("if gpus > 1: model = nn.DataParallel(model)", "if distributed: model = DDP(model)", "module", False),
        ("if gpus > 1: model = nn.DataParallel(model)", "model = DDP(model)", "module", False),
        ("if distributed: model = DDP(model)", "if gpus > 1: model = nn.DataParallel(model)", "module", False),
        ("if gpus > 1: model = nn.DataParallel(model)", "model = DDP(DDP(model))", "module", True),
        ("model = nn.DataParallel(model)", "if distributed: model = DDP(model)", "module", True),
        ("if gpus > 1: model = torch.compile(model)", "if distributed: model = DDP(model)", "module", True),
    ],
)
def test_who_wraps_for_one_process_or_for_several_wraps_once(
    project_of: ProjectOf, first: str, then: str, inside: str, is_reported: bool
) -> None:
    program = ONE_OR_THE_OTHER.format(first=first, then=then, inside=inside)

    found = project_of({"main.py": program}).reported("wrapped-state-dict")

    assert bool(found) is is_reported


@pytest.mark.parametrize(
    ("made", "saved", "reported"),
    [
        ("torch.compile(DDP(Net()))", "net.module.state_dict()", False),
        ("torch.compile(DDP(Net()))", "bare(net).state_dict()", False),
        ("torch.compile(DDP(Net()))", "net.state_dict()", True),
        ("torch.compile(Net())", "bare(net).state_dict()", True),
    ],
)
def test_what_is_compiled_has_what_the_module_inside_has(
    project_of: ProjectOf, made: str, saved: str, reported: bool
) -> None:
    code = f"""\
import torch
from torch.nn import Linear as Net
from torch.nn.parallel import DistributedDataParallel as DDP
def bare(model):
    if hasattr(model, "module"):
        model = model.module
    return model
net = {made}
torch.save({saved}, "last.pt")
"""
    assert bool(project_of({"main.py": code}).reported("wrapped-state-dict")) is reported


TASK = """\
import torch
from torch import nn
def unwrap(model):
    {body}
class Task:
    def __init__(self, net):
        self.net = net
    def compile(self):
        self.net = torch.compile(self.net)
    def distribute(self, rank):
        self.net = nn.parallel.DistributedDataParallel(self.net, device_ids=[rank])
    def save(self, path):
        show(unwrap(self.net))
task = Task(nn.Linear(4, 4))
task.distribute(0)
task.save("task.pt")
"""
IF_MODULE = 'if hasattr(model, "module"):\n        model = model.module\n    '
IF_COMPILED = 'if hasattr(model, "_orig_mod"):\n        model = model._orig_mod\n    '


def wrappings_shown(folder: Path, code: str) -> list[str]:
    path = folder / "main.py"
    path.write_text(code)
    (call,) = Project(folder).open(path, "main.py").method_calls("show")
    return [one.word for one in wrappings(call.arguments[0])]


@pytest.mark.parametrize(
    "body",
    [
        f"{IF_MODULE}{IF_COMPILED}return model",
        f"inner = model\n    {IF_MODULE}{IF_COMPILED}return model".replace("model", "inner").replace(
            "= inner\n", "= model\n"
        ),
        f"{IF_MODULE.replace('if', 'while')}{IF_COMPILED}return model",
        f"{IF_MODULE}return getattr(model, '_orig_mod', model)",
        "model = getattr(model, 'module', model)\n    return getattr(model, '_orig_mod', model)",
        f"{IF_MODULE.replace('hasattr(model', 'isinstance(model, nn.parallel.DistributedDataParallel) or hasattr(model')}"
        f"{IF_COMPILED}return model",
    ],
)
def test_who_takes_off_both_wrappers_of_an_attribute_has_the_module(tmp_path: Path, body: str) -> None:
    assert wrappings_shown(tmp_path, TASK.format(body=body)) == []


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (f"{IF_MODULE}return model", "torch.compile"),
        (f"{IF_COMPILED}return model", "DistributedDataParallel"),
        (f"{IF_COMPILED}{IF_MODULE}return model", "torch.compile"),
        ("return model.module", "torch.compile"),
    ],
)
def test_who_takes_off_one_of_two_wrappers_may_have_the_other(tmp_path: Path, body: str, left: str) -> None:
    assert left in wrappings_shown(tmp_path, TASK.format(body=body))


def test_what_is_compiled_as_a_wrapper_is_one_inside(tmp_path: Path) -> None:
    code = "import torch\nfrom torch import nn\nmodel = torch.compile(nn.DataParallel(nn.Linear(2, 2)))\n"

    assert wrappings_shown(tmp_path, f"{code}show(model._orig_mod)\n") == ["DataParallel"]


@pytest.mark.parametrize(
    "wrapped",
    [
        "mmcv.parallel.MMDataParallel(net, device_ids=[0])",
        "mmcv.parallel.MMDistributedDataParallel(net)",
        "mmengine.model.MMDistributedDataParallel(net)",
    ],
)
def test_a_wrapper_of_a_companion_is_a_module_too(program: Callable[[str], Checkout], wrapped: str) -> None:
    code = (
        "import mmcv.parallel\nimport mmengine.model\nimport torch\n"
        f"net = torch.nn.Linear(2, 2)\nwrapped = {wrapped}\ntorch.save(wrapped.state_dict(), 'net.pt')\n"
    )

    assert program(code).reported("wrapped-state-dict") == ["torch.save(wrapped.state_dict(), 'net.pt')"]
