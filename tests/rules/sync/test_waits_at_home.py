"""Reads of what is trained on the host, in projects that use a GPU elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project
from torchlint.registry import builtin_rules

ELSEWHERE = "import torch\nimages = torch.zeros(3).to('cuda' if torch.cuda.is_available() else 'cpu')\n"
AGENT = """\
import torch
from torch import nn


class Agent:
    def __init__(self, size, rate, device=torch.device("cpu")):
        self.policy = nn.Sequential(nn.Linear(size, 8), nn.Linear(8, 4)).to(device)
        self.optimizer = torch.optim.AdamW(self.policy.parameters(), lr=rate)

    def act(self, state, moves):
        with torch.no_grad():
            value, index = self.policy(state)[0][moves].max(0)
        return moves[index.item()]

    def step(self, state, moves):
        move = self.act(state, moves)
        self.optimizer.zero_grad()
        self.policy(state).mean().backward()
        self.optimizer.step()
        return move
"""
PLAY = """\
from agent import Agent


def play(game, rate):
    agent = Agent(11, rate{more})
    while not game.is_over():
        game.make(agent.step(game.state(), game.moves()))
"""
MEASURES = "def accuracy(output, target):\n    return ((output > 0.5) == target).float().mean().item()\n"
LESSON = """\
import torch
from measures import accuracy


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(4, 1)

    def forward(self, rows):
        return self.body(rows)


def lesson(loader):
    net = Net(){moved}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    total = 0.0
    for rows, target in loader:
        optimizer.zero_grad()
        output = net(rows{moved})
        torch.nn.functional.mse_loss(output, target).backward()
        optimizer.step()
        total += accuracy(output, target{moved})
    return total
"""


def reads(folder: Path, name: str, **files: str) -> list[str]:
    for stem, text in {"elsewhere": ELSEWHERE, **files}.items():
        (folder / f"{stem}.py").write_text(text)
    file = Project(folder).open(folder / f"{name}.py", f"{name}.py")
    lines = file.code.splitlines()
    found = builtin_rules()["item-in-training-loop"]().check(file)
    return [lines[one.span.line - 1].strip() for one in found]


@pytest.mark.parametrize("device", ["", ', "cpu"'])
def test_an_agent_that_every_caller_leaves_on_the_host_waits_for_nothing(device: str, tmp_path: Path) -> None:
    assert not reads(tmp_path, "agent", agent=AGENT, play=PLAY.format(more=device))


def test_an_agent_that_a_caller_moves_waits(tmp_path: Path) -> None:
    assert reads(tmp_path, "agent", agent=AGENT, play=PLAY.format(more=', "cuda"')) == ["return moves[index.item()]"]


def test_a_measure_of_a_lesson_on_the_host_waits_for_nothing(tmp_path: Path) -> None:
    assert not reads(tmp_path, "measures", measures=MEASURES, lesson=LESSON.format(moved=""))


def test_a_measure_of_any_program_on_a_gpu_waits(tmp_path: Path) -> None:
    lessons = {"lesson": LESSON.format(moved=""), "large": LESSON.format(moved=".cuda()")}

    assert len(reads(tmp_path, "measures", measures=MEASURES, **lessons)) == 1


LEARNED = """\
import copy
import torch
from measures import accuracy


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.nn.Parameter(torch.zeros(4))

    def forward(self, rows):
        return rows * self.mean + torch.randn(4, device=self.mean.device)


def learn(loader):
    best = None
    net = {made}
    optimizer = torch.optim.Adam(lr=0.1, params={parameters})
    for rows, target in loader:
        optimizer.zero_grad()
        output = net(rows)
        torch.nn.functional.mse_loss(output, target).backward()
        optimizer.step()
        if accuracy(output, target) > 0.5:
            {best}
    return {returned}
"""
_LEARNED = {"made": "Net()", "parameters": "net.parameters()", "best": "best = copy.deepcopy(net)", "returned": "net"}


@pytest.mark.parametrize("parameters", ["net.parameters()", "[net.mean]"])
@pytest.mark.parametrize("returned", ["net", "best"])
def test_a_module_that_is_returned_when_it_is_trained_stays_where_it_is(
    parameters: str, returned: str, tmp_path: Path
) -> None:
    lesson = LEARNED.format(**{**_LEARNED, "parameters": parameters, "returned": returned})

    assert not reads(tmp_path, "measures", measures=MEASURES, lesson=lesson)


@pytest.mark.parametrize(
    "other",
    [
        {"made": "Net().cuda()"},
        {"made": "Net().to(target.device)"},
        {"parameters": "[net.mean, other.mean]"},
        {"best": "best = move(net)"},
        {"returned": "net, best"},
    ],
)
def test_a_module_that_others_may_move_waits(other: dict[str, str], tmp_path: Path) -> None:
    assert reads(tmp_path, "measures", measures=MEASURES, lesson=LEARNED.format(**{**_LEARNED, **other}))


MEASURED = """\
import torch
from sklearn.metrics import {metric}
from torch import nn


def train(net: nn.Module, loader, optimizer, device):
    for x, y in loader:
        out = net(x.to(device))
        loss = nn.functional.cross_entropy(out, y.to(device))
        loss.backward()
        optimizer.step()
        right = {metric}(y, out.argmax(1).cpu())
        print(right.item())
"""


def test_a_metric_of_scikit_learn_is_no_tensor(tmp_path: Path) -> None:
    assert not reads(tmp_path, "train", train=MEASURED.format(metric="accuracy_score"))


def test_a_function_that_nobody_knows_may_return_a_tensor(tmp_path: Path) -> None:
    assert reads(tmp_path, "train", train=MEASURED.format(metric="made_up_score")) == ["print(right.item())"]


MADE_IN_FILE = """\
import torch
from torch import nn
from torch.nn import functional as F


def train(net: nn.Module, rows, optimizer):
    for row in rows:
        target = torch.LongTensor([one.label for one in row]){moved}
        loss = F.cross_entropy(net(row), target)
        loss.backward()
        optimizer.step()
        print(loss.item())
"""


def test_a_loss_of_a_target_that_stays_on_the_host_is_there(tmp_path: Path) -> None:
    assert not reads(tmp_path, "train", train=MADE_IN_FILE.format(moved=""))


@pytest.mark.parametrize("moved", [".cuda()", ".to(net.device)", ".to(read('device'))"])
def test_a_loss_of_a_target_that_is_moved_waits(moved: str, tmp_path: Path) -> None:
    assert reads(tmp_path, "train", train=MADE_IN_FILE.format(moved=moved)) == ["print(loss.item())"]
