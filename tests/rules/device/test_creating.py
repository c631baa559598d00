"""Tensors that are made on the host and moved at once, step after step."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.device.detectors.creating import created_then_moved
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

HEAD = (
    "import torch\nfrom torch import nn\nfrom torch.autograd import Variable\nnet = nn.Linear(2, 2)\n"
    "device = torch.device('cuda')\n"
)


def created(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(HEAD + code)
    return [one.call.text for one in asked(created_then_moved, Project(folder).open(path, path.name), WITH_CUDA)]


def trained(expression: str) -> str:
    return f"for _ in range(3):\n    x = {expression}\n    net(x).sum().backward()\n"


@pytest.mark.parametrize(
    "expression",
    [
        "torch.zeros(2).to(device)",
        "torch.arange(2).float().cuda()",
        "torch.arange(2).view(-1, 1).to(device)",
        "torch.zeros(2).unsqueeze(0).repeat(3, 1).long().to(device)",
        "torch.full((2,), 0.5).to(net.weight.device)",
        "torch.ones(2, requires_grad=False).to(device)",
        "torch.as_tensor(range(2)).to(device)",
        "Variable(torch.ones(2)).cuda()",
        "torch.hann_window(2).to(device)",
        "torch.signal.windows.kaiser(2).to(device)",
        "torch.fft.rfftfreq(2).to(device)",
        "torch.tril_indices(2, 2).to(device)",
        "nn.Parameter(torch.bartlett_window(2), requires_grad=False).to(device)",
        "torch.triu(torch.ones(2, 2), diagonal=1).to(device)",
        "torch.ones(2, 2).tril().to(device)",
        "torch.ones(2).to(torch.float16).to(device)",
        "torch.ones(2).to(dtype=torch.bool).to(device)",
        "torch.zeros(2).fill_(1).to(device)",
        "torch.FloatTensor(2).fill_(0).to(device)",
        "torch.LongTensor(2).zero_().view(-1, 1).cuda()",
        "torch.cat([torch.ones(1), torch.zeros(1).long()], dim=0).to(device)",
        "torch.stack((torch.ones(2), torch.arange(2))).to(device)",
        "torch.empty(2).zero_().view(-1, 1).to(device)",
        "torch.LongTensor(2).zero_().float().cuda()",
        "torch.arange(2).unsqueeze(0).expand(3, -1).to(device)",
        "torch.zeros(2).expand(3, 2).to(device)",
        "torch.eye(2)[None, :, :].to(device)",
        "torch.ones(2)[:n].to(device)",
        "torch.ones(2, 2)[-1].to(device)",
        "torch.ones(2, 2).T.to(device)",
        "torch.unsqueeze(torch.ones(2), 0).to(device)",
        "torch.ones(2).type_as(net.weight.data)",
        "torch.ones(2).type(net.weight.data.type())",
        "torch.ones(2).type(torch.cuda.HalfTensor)",
        "torch.ones(2).type('torch.cuda.FloatTensor')",
        "(torch.arange(2) + 1).to(device)",
        "(2 * torch.ones(2) - 0.5).to(device)",
        "torch.cat([torch.arange(2) % 3, torch.ones(1)]).to(device)",
        "torch.LongTensor(range(2)).to(device)",
        "torch.tensor(range(len(x))).view(-1, 1).cuda()",
        "torch.arange(0, 4).to(device)",
        "torch.full((4,), 0).to(device)",
        "torch.cat([torch.zeros(0, 4), torch.ones(1, 4)]).to(device)",
        "torch.zeros(2, *size).to(device)",
        "torch.Tensor(*size).fill_(0).to(device)",
        "torch.zeros(2).view(*size).to(device)",
        "torch.exp(torch.arange(2)).to(device)",
        "torch.arange(2).float().sin().to(device)",
        "torch.exp(-2.5 * torch.arange(start=0, end=n) / n).to(device)",
        "(-torch.arange(2)).to(device)",
        "torch.stack(torch.meshgrid(torch.arange(2), torch.ones(3), indexing='ij'), -1).to(device)",
        "torch.stack(torch.meshgrid([torch.arange(2), torch.ones(3)])).to(device)",
    ],
)
def test_a_step_makes_and_moves(tmp_path: Path, expression: str) -> None:
    assert created(tmp_path, trained(expression)) == [expression]


@pytest.mark.parametrize(
    "expression",
    [
        "torch.zeros(2, device=device).to(device)",
        "torch.zeros(2).to(torch.float16)",
        "torch.zeros(2).to('cpu')",
        "torch.tensor([1.0, 2.0]).to(device)",
        "torch.randn(2).to(device)",
        "torch.randn(2).view(-1, 1).to(device)",
        "torch.randn(2).expand(3, 2).to(device)",
        "torch.ones(2)[chosen].to(device)",
        "torch.ones(2)[[0, 1]].to(device)",
        "torch.ones(2)[True].to(device)",
        "torch.FloatTensor([1.0, 2.0]).to(device)",
        "torch.FloatTensor([1.0, 2.0]).view(-1, 1).to(device)",
        "torch.FloatTensor(2).uniform_().to(device)",
        "torch.zeros(2).normal_().to(device)",
        "torch.cuda.FloatTensor(2).fill_(0).to(device)",
        "torch.zeros(2).pin_memory().to(device)",
        "torch.randn(2).fill_(0).to(device)",
        "torch.ones(2).exponential_().to(device)",
        "torch.triu(torch.randn(2, 2)).to(device)",
        "torch.cat([torch.ones(1), torch.randn(1)]).to(device)",
        "torch.cat([torch.ones(1), torch.tensor([1.0])]).to(device)",
        "torch.cat([torch.ones(1) for _ in range(2)]).to(device)",
        "torch.ones(2).type(torch.FloatTensor).to(device)",
        "torch.ones(2).type(torch.float16)",
        "torch.ones(2).type(net.weight.dtype)",
        "torch.ones(2).type(torch.zeros(2).type())",
        "torch.ones(2).type(kind)",
        "torch.signal.windows.hann(2, device=device).to(device)",
        "(torch.arange(2) + unknown).to(device)",
        "(torch.randn(2) + 1).to(device)",
        "(torch.ones(2) + torch.randn(2)).to(device)",
        "torch.tensor(range(2), pin_memory=True).to(device)",
        "torch.tensor(rows(2)).to(device)",
        "torch.zeros(0, 4).to(device)",
        "torch.ones((n, 0)).to(device)",
        "torch.empty(size=[0]).long().to(device)",
        "torch.full((0, 4), 1.0).to(device)",
        "torch.zeros(*size, 0).to(device)",
        "torch.zeros(2, **where).to(device)",
        "torch.zeros(2, *size, device=device).to(device)",
        "torch.zeros(2).to(torch.float16, *more)",
        "torch.Tensor(*size).to(device)",
        "torch.randn(*size).to(device)",
        "torch.exp(torch.randn(2)).to(device)",
        "torch.exp(torch.arange(n) / unknown).to(device)",
        "torch.exp(torch.tensor([1.0])).to(device)",
        "(-torch.randn(2)).to(device)",
        "torch.stack(torch.meshgrid(torch.arange(2), torch.randn(3))).to(device)",
        "torch.stack(torch.meshgrid(*sides)).to(device)",
        "torch.stack(other.meshgrid(torch.arange(2), torch.ones(3))).to(device)",
    ],
)
def test_what_has_a_reason_to_be_on_the_host_is_left_alone(tmp_path: Path, expression: str) -> None:
    assert created(tmp_path, trained(expression)) == []


STATEMENTS = "for _ in range(3):\n    {}\n    net(x).sum().backward()\n"


def stated(*lines: str) -> str:
    return STATEMENTS.format("\n    ".join(lines))


@pytest.mark.parametrize(
    "lines",
    [
        ["x = torch.ones(2)", "x = x.to(device)"],
        ["x = torch.ones(2)[None]", "x = x.cuda()"],
        ["x = torch.ones(2)[None]", "if y.is_cuda:", "    x = x.cuda()"],
        ["x = torch.ones(2)", "if x.device != device:", "    x = x.to(device)"],
        ["z = torch.ones(2)", "x = z.to(device) if use_cuda else z"],
        ["one: torch.Tensor = torch.ones(2)", "with torch.no_grad():", "    x = one.to(device)"],
        ["one = torch.ones(2)", "two = one.view(1, 2)", "x = two.to(device)"],
        ["one = torch.ones(2)", "two = torch.zeros(2)", "x = torch.cat([one, two]).to(device)"],
        [
            "v, u = torch.meshgrid(torch.arange(2), torch.arange(3))",
            "x = torch.stack((u, v), 2).view(1, -1).to(device)",
        ],
        ["v, u = torch.meshgrid([torch.arange(2), torch.arange(3)])", "x = torch.stack((u, v, u), 2).to(device)"],
    ],
)
def test_what_only_has_a_name_in_between_is_made_and_moved(tmp_path: Path, lines: list[str]) -> None:
    assert len(created(tmp_path, stated(*lines))) == 1


@pytest.mark.parametrize(
    "lines",
    [
        ["x = torch.ones(2)", "x[0] = 2", "x = x.to(device)"],
        ["x = torch.ones(2)", "for i in range(2):", "    x[i] = i", "x = x.to(device)"],
        ["x = torch.ones(2)", "x += 1", "x = x.to(device)"],
        ["x = torch.ones(2)", "x.uniform_()", "x = x.to(device)"],
        ["y = torch.ones(2)", "x = y.to(device)", "print(y)"],
        ["x = torch.ones(2)", "if late:", "    x = x.to(device)"],
        ["x = torch.ones(2)", "if late:", "    x = torch.zeros(2)", "x = x.to(device)"],
        ["y = torch.ones(2)", "for _ in range(2):", "    x = y.to(device)"],
        ["y = torch.ones(2)", "f = lambda: y", "x = y.to(device)"],
        ["y = torch.ones(2)", "x = [y.to(device) for y in z][0]"],
        ["y = z = torch.ones(2)", "x = y.to(device)"],
        ["v, u = torch.meshgrid(torch.arange(2), torch.arange(3))", "print(v)", "x = torch.stack((u, v)).to(device)"],
        ["v, u = torch.meshgrid(torch.arange(2), torch.arange(3))", "x = u.to(device)", "y = v"],
        ["v, u = torch.meshgrid(torch.arange(2), torch.randn(3))", "x = torch.stack((u, v)).to(device)"],
        ["v, u = torch.arange(2)", "x = torch.stack((u, v)).to(device)"],
        ["x = torch.randn(2)", "x = x.to(device)"],
    ],
)
def test_what_is_used_on_the_host_or_not_always_moved_is_left_alone(tmp_path: Path, lines: list[str]) -> None:
    assert created(tmp_path, stated(*lines)) == []


def test_what_was_made_before_the_loop_and_is_moved_in_it_is_not_made_with_every_step(tmp_path: Path) -> None:
    assert created(tmp_path, f"y = torch.ones(2)\n{stated('x = y.to(device)')}") == []


def test_the_story_tells_where_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(HEAD + stated("x = torch.ones(2)", "x = x.to(device)"))

    (found,) = asked(created_then_moved, Project(tmp_path).open(path, path.name), WITH_CUDA)

    assert (found.story[0].span.line, found.story[0].words) == (7, "created on the CPU here")


def test_once_is_nothing(tmp_path: Path) -> None:
    assert created(tmp_path, f"x = torch.zeros(2).to(device)\n{trained('x')}") == []


def test_forward_runs_with_every_step_whoever_calls_it(tmp_path: Path) -> None:
    code = "class Net(nn.Module):\n    def forward(self, x):\n        return x + torch.ones(2).to(x.device)\n"

    assert created(tmp_path, code) == ["torch.ones(2).to(x.device)"]


@pytest.mark.parametrize(
    ("test", "often"),
    [
        ("torch.isnan(x).any()", False),
        ("not torch.isfinite(x).all()", False),
        ("not self.training", False),
        ("self.training", True),
        ("torch.isfinite(x).all()", True),
        ("x.size(0) > 1", True),
    ],
)
def test_what_forward_falls_back_to_is_not_made_with_every_step(tmp_path: Path, test: str, often: bool) -> None:
    code = (
        "class Net(nn.Module):\n    def forward(self, x):\n        x = net(x)\n"
        f"        if {test}:\n            x = torch.ones(2).to(x.device)\n        return x\n"
    )

    assert bool(created(tmp_path, code)) is often
    assert bool(created(tmp_path, code + "for _ in range(3):\n    Net()(1).sum().backward()\n")) is often


FORWARD = "class Net(nn.Module):\n    def forward(self, x, {}):\n        return x + torch.arange(2).to({})\n"


@pytest.mark.parametrize(
    ("parameter", "expected"), [("x", True), ("y", True), ("device", True), ("dtype", False), ("y=None", False)]
)
def test_what_forward_is_called_with_is_a_tensor_unless_its_name_or_default_says_otherwise(
    tmp_path: Path, parameter: str, expected: bool
) -> None:
    name = parameter.partition("=")[0]
    code = FORWARD.format("*rest" if name == "x" else parameter, name)

    assert created(tmp_path, code) == ([f"torch.arange(2).to({name})"] if expected else [])
