"""Clocks that are read before the GPU is done."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from rules.sync.detectors.timing import unsynchronized_timings
from tests.checkout import asked
from torchlint.model import Project

PROGRAM = """
import time, torch
from time import perf_counter
from torch import nn

def helper(model, x):
    return model(x)

def timed(model, optimizer, x, host, unknown):
    {body}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
timed(model, torch.optim.SGD(model.parameters()), torch.ones(1, 2, device=device), torch.ones(1, 2), torch.load("a.pt"))
"""


def stops(folder: Path, body: str) -> list[str]:
    (folder / "main.py").write_text(PROGRAM.format(body=textwrap.indent(textwrap.dedent(body), "    ").strip()))
    return [one.stop.text for one in asked(unsynchronized_timings, Project(folder).open(folder / "main.py", "main.py"))]


@pytest.mark.parametrize(
    "work",
    ["model(x)", "helper(model, x)", "torch.mm(x, x.t())", "model(x).sum().backward()", "for _ in range(9): model(x)",
     "value = x.sum().item()\nmodel(x)", "model(host.to(x.device))", "x.copy_(host)\nmodel(x)",
     "torch.distributions.Normal(model(x), x, validate_args=False)",
     "y = model(x)\nhost.copy_(torch.ones(2))", "unknown.backward()", "y = model(x)\nhost.copy_(y, non_blocking=True)"],
)  # fmt: skip
def test_work_that_nobody_waits_for_is_found(work: str, tmp_path: Path) -> None:
    body = f"start = perf_counter()\n{work}\nspent = time.perf_counter() - start"

    assert stops(tmp_path, body) == ["time.perf_counter()"]


def test_gradients_of_what_was_copied_to_the_host_are_computed_where_it_came_from(tmp_path: Path) -> None:
    body = "loss = model(x).cpu().sum()\nstart = perf_counter()\nloss.backward()\nspent = perf_counter() - start"

    assert stops(tmp_path, body) == ["perf_counter()"]


def test_the_clock_is_found_by_the_name_that_holds_it(tmp_path: Path) -> None:
    assert stops(tmp_path, "a = time.time()\nmodel(x)\nb = perf_counter()\nprint(b - a)") == ["perf_counter()"]


@pytest.mark.parametrize(
    "work",
    ["model(x)\ntorch.cuda.synchronize()", "y = model(x)\ny.item()", "y = model(x)\nprint(y)", "model(x).cpu()",
     "y = model(x).sum()\nif y > 0: pass", "for _ in range(9): model(host.to(x.device))", "model(host)",
     "w = torch.rand(4, 4, requires_grad=True)\ntorch.sum(torch.mul(w, torch.rand(4, 4))).backward()",
     "model(x)\nunknown.run()", "time.sleep(1)", "host.sum()", "y = model(x)\nhost.copy_(y)",
     "y = model(x)\ntorch.FloatTensor(y.size()).copy_(y)", "torch.distributions.Normal(model(x), x)",
     "for _ in range(9): torch.distributions.Categorical(model(x)).sample()"],
)  # fmt: skip
def test_work_that_is_waited_for_or_not_known_is_left_alone(work: str, tmp_path: Path) -> None:
    assert stops(tmp_path, f"start = perf_counter()\n{work}\nspent = perf_counter() - start") == []


OF_TORCHVISION = """
import time
import torch
from torchvision.models.detection import fasterrcnn_resnet50_fpn

model = fasterrcnn_resnet50_fpn().cuda().eval()
cpu_device = torch.device("cpu")
images = [torch.rand(3, 64, 64, device="cuda")]
start = time.time()
outputs = model(images)
{after}
print(time.time() - start)
"""
ROWS = "[{{k: v.{move} for k, v in t.items()}} for t in outputs]"


@pytest.mark.parametrize(
    ("after", "is_found"),
    {
        "to a device": (ROWS.format(move="to(cpu_device)"), False),
        "to a name": (ROWS.format(move="to('cpu')"), False),
        "without waiting": (ROWS.format(move="to(cpu_device, non_blocking=True)"), True),
        "before the last work": (f"{ROWS.format(move='to(cpu_device)')}\nmodel(images)", True),
        "no copy": ("[{k: v.detach() for k, v in t.items()} for t in outputs]", True),
    }.values(),
)
def test_a_copy_to_the_host_of_what_a_library_returned_waits(after: str, is_found: bool, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(OF_TORCHVISION.format(after=after))
    found = asked(unsynchronized_timings, Project(tmp_path).open(tmp_path / "main.py", "main.py"))

    assert bool(list(found)) is is_found


ROUNDS = "rows = []\nfor _ in range(9):\n    rows.append(model(host.to(x.device)))\n"
UPLOADS = "rows = []\nfor _ in range(9):\n    rows.append(torch.neg(host.to(x.device)))\n"


def test_an_operation_behind_rounds_that_are_waited_for_is_little(tmp_path: Path) -> None:
    body = f"start = perf_counter()\n{ROUNDS}torch.mm(torch.cat(rows), x.t())\nspent = perf_counter() - start"

    assert stops(tmp_path, body) == []


@pytest.mark.parametrize(
    "work",
    [
        ROUNDS + "model(x)",
        ROUNDS + "for _ in range(99): torch.mm(x, x.t())",
        UPLOADS + "torch.cat(rows)\ntorch.mm(x, x.t())",
        "for _ in range(9): model(x)\ntorch.mm(x, x.t())",
    ],
    ids=["a model", "many operations", "no model in the rounds", "nothing waits"],
)
def test_what_may_take_as_long_as_the_rounds_before_it_is_found(work: str, tmp_path: Path) -> None:
    body = f"start = perf_counter()\n{work}\nspent = perf_counter() - start"

    assert stops(tmp_path, body) == ["perf_counter()"]


def test_a_loop_that_waits_in_every_round_counts_the_rest_with_the_next(tmp_path: Path) -> None:
    body = """
        for _ in range(9):
            start = perf_counter()
            loss = model(x).sum()
            loss.item()
            loss.backward()
            spent = perf_counter() - start
        """

    assert stops(tmp_path, body) == []


def test_a_clock_that_is_read_anew_in_every_round_times_the_waits_too(tmp_path: Path) -> None:
    body = """
    before = time.time()
    for step in range(9):
        value = model(x).sum()
        left = time.time() - before
        before = time.time()
        print(value.item())
    """

    assert stops(tmp_path, body) == []


@pytest.mark.parametrize("work", ["x @ x.t()", "x.exp()", "model(x).sum()", "(lambda: x @ x.t())()"])
def test_operators_and_methods_of_tensors_are_work(work: str, tmp_path: Path) -> None:
    assert stops(tmp_path, f"start = perf_counter()\ny = {work}\nspent = perf_counter() - start") == ["perf_counter()"]


@pytest.mark.parametrize(
    "work", ["x.t()", "x.view(-1)", "x.size(0) * 2", "host @ host.t()", "host.exp()", "unknown.exp()"]
)
def test_views_and_what_is_on_the_host_are_none(work: str, tmp_path: Path) -> None:
    assert stops(tmp_path, f"start = perf_counter()\ny = {work}\nspent = perf_counter() - start") == []


PICKED = """
import time, torch, torchvision
from torch import nn
from elsewhere import anything

class Own(nn.Module):
    def forward(self, x):
        return {forward}

def timed(model, x):
    start = time.time()
    y = model(x)
    return time.time() - start

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
name = anything()
{picked}
timed(model.to(device), torch.ones(1, 2, device=device))
"""
PICKS = {
    "one of a table": ("model = Own() if name == 'own' else torchvision.models.__dict__[name](num_classes=2)", "x * 2", True),
    "one by its name": ("model = Own()\\nif name:\\n    model = getattr(torchvision.models, name)()", "x * 2", True),
    "one from elsewhere": ("model = nn.Linear(2, 2) if name == 'own' else anything(name)", "x * 2", True),
    "one that waits": ("model = Own() if name == 'own' else torchvision.models.__dict__[name]()", "x * x.sum().item()", False),
    "none in view": ("model = anything(name)", "x * 2", False),
}  # fmt: skip


@pytest.mark.parametrize(("picked", "forward", "is_found"), PICKS.values(), ids=PICKS)
def test_what_is_not_in_view_beside_modules_is_a_module(
    picked: str, forward: str, is_found: bool, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(PICKED.format(picked=picked.replace("\\n", "\n"), forward=forward))

    found = list(asked(unsynchronized_timings, Project(tmp_path).open(tmp_path / "main.py", "main.py")))

    assert len(found) == is_found


ELSEWHERE = """
import time
import torch
from networks import Network, Predictor, boxes_of

def timed(fast):
    net = Network(30){moved}
    {used}
    x = torch.randn(1, 3, 8, 8, device="{device}")
    start = time.time()
    y = {work}
    print(time.time() - start)
"""


@pytest.mark.parametrize(
    ("moved", "used", "device", "work", "is_found"),
    [
        (".cuda()", "net.eval()", "cuda", "net(x)", True),
        ("", "net.cuda()\n    net.train()", "cuda", "net(x)", True),
        (".cuda()", "pass", "cuda", "net(x)", False),
        ("", "net.eval()", "cpu", "net(x)", False),
        (".cuda()", "net.eval()", "cuda", "net(x).cpu()", False),
        (".cuda()", "net.eval()", "cuda", "boxes_of(net(x))", False),
        (".cuda()", "net.eval()\n    if fast:\n        net = Predictor()", "cuda", "net(x)", False),
    ],
    ids=["eval", "train", "used as no module", "on the host", "copied", "more code", "one of two"],
)
def test_what_is_made_elsewhere_and_used_as_a_module_is_one(
    moved: str, used: str, device: str, work: str, is_found: bool, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(ELSEWHERE.format(moved=moved, used=used, device=device, work=work))
    found = asked(unsynchronized_timings, Project(tmp_path).open(tmp_path / "main.py", "main.py"))

    assert bool(list(found)) is is_found
