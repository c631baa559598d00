"""Which loops train, and which only ask for gradients, compare, or try."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout, every_step
from tests.model.steps.programs import in_program, reads_every_step

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]


def test_a_loop_that_only_asks_for_gradients_trains_nothing(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": "import torch\nfrom cam import Saliency\n\nsaliency = Saliency(torch.nn.Linear(2, 2).cuda())\n"
        "for picture in torch.utils.data.DataLoader([]):\n    print(saliency(picture.cuda()).item())\n",
        "cam.py": "class Saliency:\n    def __init__(self, model):\n        self.model = model\n\n"
        "    def __call__(self, x):\n        score = self.model(x).sum()\n        score.backward()\n        return score\n",
    })  # fmt: skip

    assert every_step(project.place("saliency(picture.cuda()).item()")) is None


SALIENCY = """\
import torch
def attention(model, picture):
    model(picture).sum().backward()
    return model.gradients().cpu()
def show(model, pictures):
    return [attention(model, picture) for picture in pictures]
def maps(model, pictures):
    for picture in pictures:
        yield attention(model, picture)
"""


def test_a_function_for_gradients_in_a_file_that_updates_nothing_trains_nothing(program: Program) -> None:
    assert every_step(program(SALIENCY).place("model.gradients().cpu()")) is None


@pytest.mark.parametrize(
    "more",
    [
        "def clear(model):\n    for p in model.parameters():\n        p.grad = None\n",
        "def clear(p):\n    if p.grad is not None:\n        p.grad.zero_()\n",
        "def ask(loss, x):\n    return torch.autograd.grad(loss, x)\n",
        "import torch.optim as optim\n",
    ],
)
def test_to_drop_gradients_or_to_ask_for_some_updates_nothing(program: Program, more: str) -> None:
    assert every_step(program(SALIENCY + more).place("model.gradients().cpu()")) is None


@pytest.mark.parametrize(
    "update",
    [
        "def finish(engine):\n    engine.step()\n",
        "def finish(model):\n    for p in model.parameters():\n        p.data -= p.grad\n",
        "from apex.optimizers import FusedLAMB\n",
        "import torch.optim as optim\nsgd = optim.SGD\n",
    ],
    ids=["an unknown object", "by hand", "an optimizer", "an optimizer of a module"],
)
def test_a_function_for_gradients_beside_what_may_update_trains(program: Program, update: str) -> None:
    assert every_step(program(SALIENCY + update).place("model.gradients().cpu()")) is not None


def test_a_caller_that_steps_trains_with_what_it_calls_for_gradients(project_of: ProjectOf) -> None:
    train = (
        "from cam import maps\ndef train(model, optimizer, loader):\n    for pictures in loader:\n"
        "        maps(model, pictures)\n        optimizer.step()\n"
    )

    project = project_of({"cam.py": SALIENCY.replace("yield ", ""), "train.py": train})

    assert every_step(project.place("model.gradients().cpu()", "cam.py")) is not None


CHECK = """\
import torch
def assert_close(a, b):
    assert torch.allclose(a.cpu(), b.cpu())
def close(loss):
    return loss.item()
def test_layer(one):
    for i in range(9):
        loss = one(torch.rand(2, 2).cuda()).sum()
        loss.backward()
        assert_close(one.weight.grad.data, one.weight.data)
        close(loss)
"""
MEASURE = """\
import time
import torch
def measure(one):
    for i in range(9):
        start = time.perf_counter()
        loss = one(torch.rand(2, 2).cuda()).sum()
        loss.backward()
        loss.item()
        print(time.perf_counter() - start)
"""
TRAINED = """\
        one.optimizer.step()
"""
BY_HAND = """\
        one.weight.data -= 0.1 * one.weight.grad.data
"""


@pytest.mark.parametrize("name", ["test_layer.py", "layer_test.py", "cuda_test_layer.py", "tests/test_layer.py"])
def test_a_test_that_only_compares_gradients_trains_nothing(project_of: ProjectOf, name: str) -> None:
    elsewhere = "def test_training(optimizer):\n    optimizer.step()\n"

    assert every_step(project_of({name: CHECK + elsewhere}).place("loss.item()", name)) is None


@pytest.mark.parametrize("name", ["benchmark_layer.py", "layer-bench.py", "profile_layer.py"])
def test_a_benchmark_of_gradients_trains_nothing(project_of: ProjectOf, name: str) -> None:
    assert every_step(project_of({name: MEASURE}).place("loss.item()", name)) is None


def test_a_benchmark_that_has_another_file_measure_trains_nothing(project_of: ProjectOf) -> None:
    measured = MEASURE.replace("time.perf_counter()", "0").replace("def measure(one)", "def bench_layer(one)")
    caller = "from measuring import bench_layer\ndef main(layers):\n    for one in layers:\n        bench_layer(one)\n"
    files = {"measuring.py": measured.replace("    for i in range(9):\n", "    if True:\n"), "bench_layers.py": caller}

    assert every_step(project_of(files).place("loss.item()", "measuring.py")) is None


def test_a_test_that_keeps_gradients_to_print_how_they_differ_trains_nothing(project_of: ProjectOf) -> None:
    text = CHECK.replace("assert torch.allclose(a.cpu(), b.cpu())", "print(a - b)").replace("grad.data", "grad.clone()")

    assert every_step(project_of({"test_layer.py": text}).place("loss.item()", "test_layer.py")) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_layer.py", CHECK + TRAINED),
        ("test_layer.py", CHECK + BY_HAND),
        ("layer.py", CHECK),
        ("test_layer.py", CHECK.replace("assert torch.allclose(a.cpu(), b.cpu())", "pass").replace("assert_", "is_")),
        ("benchmark_layer.py", MEASURE + TRAINED),
        ("layer.py", MEASURE),
    ],
    ids=["a step", "an update by hand", "no test's name", "nothing is checked", "a measured step", "no such name"],
)
def test_a_loop_that_may_update_what_it_asks_gradients_of_trains(project_of: ProjectOf, name: str, text: str) -> None:
    assert every_step(project_of({name: text}).place("loss.item()", name)) is not None


def test_a_test_whose_loop_steps_in_a_function_trains(project_of: ProjectOf) -> None:
    text = CHECK.replace("        close(loss)\n", "        close(loss)\n        update(one)\n")
    text += "def update(one):\n    one.optimizer.step()\n"

    assert every_step(project_of({"test_layer.py": text}).place("loss.item()", "test_layer.py")) is not None


@pytest.mark.parametrize("made", ["", "    net = Net()\n"], ids=["outside", "in each round"])
def test_a_round_that_builds_what_it_trains_is_a_trial_and_no_step(program: Program, made: str) -> None:
    text = (
        "import torch\nfrom torch import nn\nclass Net(nn.Linear):\n    pass\nnet = Net(2, 2)\n"
        "def gradients(net):\n    loss = net(torch.ones(2).cuda()).sum()\n    loss.backward()\n    return loss\n"
        "def check(kind):\n    optimizer = 1\n" + made + "    print(gradients(net).item())\n"
        "for kind in range(3):\n    check(kind)\n"
    )

    assert (every_step(program(text).place("gradients(net).item()")) is None) is bool(made)


BUILDING = """\
import torch
from torch import nn
from torch.optim import Adam
def build(make, kind=Adam):
    net = make()
    return net, kind(net.parameters(), lr=0.1)
def step(net, adam):
    loss = net(torch.ones(2).cuda()).sum()
    loss.backward()
    adam.step()
    return loss
def trial(make):
    net, adam = build(make)
    print(step(net, adam).item())
def train(make, batches):
    net, adam = build(make)
    for batch in batches:
        step(net, adam).tolist()
for make in zoo:
    trial(make)
"""


def test_a_function_that_makes_an_optimizer_builds_what_a_round_trains(program: Program) -> None:
    assert every_step(program(BUILDING).place("step(net, adam).item()")) is None
    assert every_step(program(BUILDING).place("step(net, adam).tolist()")) is not None


def test_another_optimizer_for_the_same_module_makes_no_trial(program: Program) -> None:
    text = BUILDING.replace("def trial(make):\n    net, adam = build(make)", "def trial(net):\n    adam = build(net)")
    text = text.replace("    net = make()\n    return net, kind(net", "    return kind(make")

    assert every_step(program(text).place("step(net, adam).item()")) is not None


def test_a_loss_that_is_built_in_each_round_makes_no_trial(program: Program) -> None:
    code = """
        for x in loader:
            criterion = nn.CrossEntropyLoss()
            loss = criterion(model(x), x)
            loss.backward()
            loss.item()
        """

    assert reads_every_step(program(in_program(code)))


SEARCH = """\
import torch
from somebody import Model, make
size = 1
model = Model(64).cuda()
while size < 4096:
    rows = torch.rand(size, 64, device="cuda")
    {made}
    loss = {called}
    loss.backward()
    size *= 2
    print(loss.item())
"""


@pytest.mark.parametrize(
    ("made", "called", "is_trial"),
    [
        ("net = Model(64).to('cuda')", "net(rows).sum()", True),
        ("net = Model(size).cuda()", "net(rows).sum()", True),
        ("net = model.to('cuda')", "net(rows).sum()", False),
        ("net = Model(64)", "net(rows).sum()", False),
        ("rows = make(64).cuda()", "model(rows).sum()", False),
        ("batch = Model(64).cuda()", "model(batch).sum()", False),
        ("criterion = Model.FocalLoss(64).cuda()", "criterion(model(rows))", False),
        ("net = torch.nn.Flatten(1).cuda()", "net(model(rows)).sum()", False),
    ],
)
def test_an_object_that_is_moved_and_called_is_a_module_that_the_round_builds(
    program: Program, made: str, called: str, is_trial: bool
) -> None:
    text = SEARCH.format(made=made, called=called)

    assert (every_step(program(text).place("loss.item()")) is None) is is_trial
