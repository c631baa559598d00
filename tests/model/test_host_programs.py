"""Programs that run on the host alone, beside others of the project that choose a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

NET = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(5, 5, batch_first=True)
    def forward(self, x):
        h = torch.zeros(1, x.size(0), 5)
        return self.rnn(x, h)[0]
"""
TRAIN = """\
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
def train():
    for x in open("data"):
        loss = net(read(x)).sum()
        loss.backward()
        optimizer.step()
        print(loss)
"""
AT_ONCE = TRAIN.replace("def train():", "if True:")
BY_OBJECT = """\
class Trainee:
    def train(self):
        net = Net()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        def update(x):
            loss = net(read(x)).sum()
            loss.backward()
            optimizer.step()
            print(loss)
        for x in open("data"):
            update(x)
"""
STARTED = "if __name__ == '__main__':\n    train()\n"
OTHER = "import torch\nmodel = torch.nn.Linear(3, 3).to('cuda' if torch.cuda.is_available() else 'cpu')\n"
MADE, SHOWN = ["h = torch.zeros(1, x.size(0), 5)"], ["print(loss)"]


def found(project_of: ProjectOf, code: str, name: str = "first.py", **others: str) -> list[str]:
    files = {f"{other}.py": text for other, text in others.items()}
    project = project_of({"other.py": OTHER, **files, name: code})
    rules = ("default-device-tensor", "tensor-print-in-training-loop")
    return [line for rule in rules for line in project.reported(rule, name)]


@pytest.mark.parametrize(
    "code",
    [
        NET + AT_ONCE,
        NET + TRAIN + "train()\n",
        NET + TRAIN + "def run():\n    train()\nfor _ in range(9):\n    run()\n",
        NET + AT_ONCE + "if __name__ == '__main__':\n    print(net)\n",
        NET + TRAIN + STARTED,
        NET + BY_OBJECT + "Trainee().train()\n",
        f"from reading import read\n{NET}{AT_ONCE}",
        f"import matplotlib.pyplot as plt\n{NET}{AT_ONCE}plt.xlabel('step')\n",
        f"{NET}{AT_ONCE}# The device is that of the user.\n",
        f"{NET}if torch.cuda.is_available():\n    torch.cuda.manual_seed_all(0)\n{AT_ONCE}",
    ],
    ids=[
        "at its top",
        "in a function",
        "in a function of a function",
        "also started",
        "behind its name",
        "in a method",
        "with a part of its own",
        "with a plot",
        "commented",
        "with a seed for a GPU",
    ],
)
def test_a_program_without_a_word_of_devices_runs_on_the_host(project_of: ProjectOf, code: str) -> None:
    assert found(project_of, code, reading="import torch\ndef read(x):\n    return torch.load(x)\n") == []


@pytest.mark.parametrize("name", ["1_first.py", "first-net.py"])
def test_nobody_imports_a_file_without_a_name_for_it(project_of: ProjectOf, name: str) -> None:
    assert found(project_of, NET + TRAIN, name) == []


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (f"{NET}{AT_ONCE}device = None\n", SHOWN),
        (NET + AT_ONCE.replace("Net()", "nn.DataParallel(Net())"), SHOWN),
        (f"{NET}{AT_ONCE}torch.cuda.manual_seed_all(0)\nnet.cuda()\n", SHOWN),
        (f"{NET}{AT_ONCE}if torch.cuda.is_available():\n    torch.cuda.set_device(0)\n", SHOWN),
        # The network of this file stays where it was made: others may only make one elsewhere.
        (f"from moving import read\n{NET}{AT_ONCE}", []),
        (f"from importlib import import_module\n{NET}{AT_ONCE}import_module(given)\n", []),
        (f"from elsewhere import read\n{NET}{AT_ONCE}", []),
    ],
    ids=[
        "with a word of its own",
        "in a wrapper",
        "with a seed and a move",
        "with a GPU that is chosen",
        "with a part that moves",
        "with any part",
        "with what nobody knows",
    ],
)
def test_what_may_be_imported_or_moved_may_be_anywhere(project_of: ProjectOf, code: str, shown: list[str]) -> None:
    moving = "import torch\ndef read(x):\n    return torch.load(x).cuda()\n"

    assert found(project_of, code, moving=moving) == MADE + shown


def test_a_file_that_does_nothing_may_be_moved_by_anybody(project_of: ProjectOf) -> None:
    assert found(project_of, NET) == MADE


def test_who_imports_a_program_may_make_another_network_elsewhere(project_of: ProjectOf) -> None:
    user = "from first import Net\nnet = Net().to('cuda')\n"

    assert found(project_of, NET + AT_ONCE, user=user) == MADE


@pytest.mark.parametrize(
    "others",
    [{"user": "from first import Net\n"}, {"__init__": ""}, {"test_first": "import first\n"}],
    ids=["imported", "in a package", "tested"],
)
def test_the_class_of_what_trains_behind_its_name_may_be_imported(
    project_of: ProjectOf, others: dict[str, str]
) -> None:
    assert found(project_of, NET + TRAIN + STARTED, **others) == MADE


HIDDEN = (
    "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = {value}\ndevice = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
)


@pytest.mark.parametrize(
    ("value", "lines"),
    [("''", []), ("'-1'", []), ("'0'", SHOWN), ("gpu", SHOWN)],
)
def test_who_hides_all_gpus_waits_for_none(project_of: ProjectOf, value: str, lines: list[str]) -> None:
    code = "import torch\nfrom torch import nn\n" + HIDDEN.format(value=value)
    trained = TRAIN.replace("Net()", "nn.Linear(2, 2).to(device)").replace("read(x)", "torch.load(x).to(device)")
    project = project_of({"first.py": code + trained + "train()\n"})

    assert project.reported("tensor-print-in-training-loop", "first.py") == lines


KEEPS = "def keep(path):\n    torch.save(net.state_dict(), path)\n"
LOADS = "def restore(path):\n    net.load_state_dict(torch.load(path))\n"


@pytest.mark.parametrize(
    ("code", "count"),
    [
        (NET + AT_ONCE + KEEPS + LOADS, 0),
        (NET + AT_ONCE + LOADS, 1),
        (NET + "net = Net()\n" + LOADS, 1),
        (NET + AT_ONCE.replace("Net()", "Net().cuda()") + KEEPS + LOADS, 1),
    ],
    ids=["saves", "saves nothing", "only loads", "moves"],
)
def test_a_program_on_the_host_loads_what_it_saves(project_of: ProjectOf, code: str, count: int) -> None:
    other = OTHER + "torch.save(model.state_dict(), 'other.pt')\n"
    project = project_of({"other.py": other, "first.py": code})

    assert len(project.findings("load-without-map-location", "first.py")) == count


NOISE = """\
import torch
from torch import nn
from mpl_toolkits.axes_grid1 import make_axes_locatable
class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(5))
    def draw(self):
        return self.mean + torch.randn(5, device=self.mean.device)
def score(drawn, target):
    return (target * torch.sigmoid(drawn)).sum()
def train(net):
    for _ in range(9):
        score(net.draw(), torch.ones(5)).backward()
if __name__ == "__main__":
    net = Noisy()
    train(net)
"""


@pytest.mark.parametrize("others", [{}, {"__init__.py": ""}], ids=["alone", "in a package"])
def test_what_no_line_in_view_moves_is_not_assumed_to_be_on_a_gpu(
    project_of: ProjectOf, others: dict[str, str]
) -> None:
    assert project_of({"other.py": OTHER, "first.py": NOISE, **others}).reported("device-mismatch", "first.py") == []


@pytest.mark.parametrize("moved", ["Noisy().cuda()", "Noisy().to(choose())", "Noisy().to(torch.empty(0).device)"])
@pytest.mark.parametrize("others", [{}, {"__init__.py": ""}], ids=["alone", "in a package"])
def test_what_a_line_in_view_moves_is_reported(project_of: ProjectOf, moved: str, others: dict[str, str]) -> None:
    code = NOISE.replace("net = Noisy()", f"net = {moved}")
    found = project_of({"other.py": OTHER, "first.py": code, **others}).reported("device-mismatch", "first.py")

    assert found == ["return (target * torch.sigmoid(drawn)).sum()"]
