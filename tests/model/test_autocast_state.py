"""Where `torch.is_autocast_enabled()` is surely False: its branch does not run there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
import torch

from tests.checkout import Checkout
from torchlint.model import Project
from torchlint.model.place import Place
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.autocast import SWITCHING

HEAD = "import torch\nfrom torch import nn\nthere = torch.ones(3).cuda()\n"
ASKS = "def attend(x):\n    if torch.is_autocast_enabled():\n        return x + torch.ones(3)\n    return x\n"
OUTSIDE = {
    "a call": "attend(there)\n",
    "under another mode": "with torch.no_grad():\n    attend(there)\n",
    "beside one": "with torch.autocast('cuda'):\n    pass\nattend(there)\n",
    "through another function": "def step(x):\n    return attend(x)\nstep(there)\n",
}
INSIDE = {
    "a call": "with torch.autocast('cuda'):\n    attend(there)\n",
    "one of two calls": "attend(there)\nwith torch.autocast('cuda'):\n    attend(there)\n",
    "through another function": "def step(x):\n    return attend(x)\nwith torch.autocast('cuda'):\n    step(there)\n",
    "the whole function": "@torch.autocast('cuda')\ndef step(x):\n    return attend(x)\nstep(there)\n",
    "an unknown context": "from elsewhere import mode\nwith mode():\n    attend(there)\n",
    "entered without a with": "torch.autocast('cuda').__enter__()\nattend(there)\n",
    "switched": "torch.set_autocast_enabled('cuda', True)\nattend(there)\n",
    "of a framework": "run(precision=16)\nattend(there)\n",
    "whoever calls": "def step(x):\n    return attend(x.cuda())\n",
}


@pytest.mark.parametrize("calls", OUTSIDE.values(), ids=OUTSIDE)
def test_outside_of_any_autocast_the_branch_does_not_run(program: Callable[[str], Checkout], calls: str) -> None:
    assert program(HEAD + ASKS + calls).findings("device-mismatch") == []


@pytest.mark.parametrize("calls", INSIDE.values(), ids=INSIDE)
def test_where_one_may_be_on_it_may(program: Callable[[str], Checkout], calls: str) -> None:
    assert len(program(HEAD + ASKS + calls).findings("device-mismatch")) == 1


@pytest.mark.parametrize(("around", "answer"), [("", False), ("with torch.autocast('cuda'):\n    pass\n", None)])
def test_modules_may_be_called_where_no_line_shows_it(tmp_path: Path, around: str, answer: bool | None) -> None:
    net = "class Net(nn.Module):\n    def forward(self, x):\n        return torch.is_autocast_enabled()\n"
    (tmp_path / "main.py").write_text(f"{HEAD}{net}{around}net = Net()\nnet(there)\n")
    file = Project(tmp_path).open(tmp_path / "main.py", "main.py")
    [(call, statement)] = file.index.calls("is_autocast_enabled")

    assert file.evaluator(WITH_CUDA).truth(Place(file, call, statement)) is answer


@pytest.mark.parametrize(
    ("context", "is_on"), [(torch.no_grad(), False), (nullcontext(), False), (torch.autocast("cpu"), True)]
)
def test_it_is_off_outside_of_autocast(context: torch.no_grad, is_on: bool) -> None:
    assert not torch.is_autocast_enabled("cpu")
    with context:
        assert torch.is_autocast_enabled("cpu") is is_on


@pytest.mark.parametrize("name", SWITCHING)
def test_what_switches_it_is_in_torch(name: str) -> None:
    assert any(name in one for one in dir(torch) + dir(torch.amp))
