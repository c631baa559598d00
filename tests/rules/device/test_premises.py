"""What an error about devices rests on, and that it is none if something there is assumed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout
from torchlint import Confidence, Severity

ERROR = (Severity.ERROR, Confidence.HIGH)
WARNING = (Severity.WARNING, Confidence.MEDIUM)

TRAINING = """\
import argparse
import torch
from torch import nn
from torch.utils.data import DataLoader

{options}

def train(data):
    model = nn.Linear(4, 2)
    {moved}
    for x, y in DataLoader(data):
        model(x).sum().backward()
"""
OPTION = 'parser = argparse.ArgumentParser()\nparser.add_argument("{}"{})\nargs = parser.parse_args()\n'
PROVED = {
    "a call of `cuda`": ("", "model.cuda()"),
    "a device in view": ("", 'model.to("cuda")'),
    "the device of the machine": (
        'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")',
        "model.to(device)",
    ),
    "an option that is a GPU by default": (OPTION.format("--device", ', default="cuda"'), "model.to(args.device)"),
    "a choice between kinds of GPUs": (
        'device = "mps" if torch.backends.mps.is_available() else "cuda"',
        "model.to(device)",
    ),
}
ASSUMED = {
    "an option that is the CPU by default": (OPTION.format("--device", ', default="cpu"'), "model.to(args.device)"),
    "an option that is off by default": (
        OPTION.format("--fast", ', action="store_true"'),
        "if args.fast:\n        model.cuda()",
    ),
    "an attribute of something unknown": ("import settings", "model.to(settings.DEVICE)"),
}


def judged(project: Checkout, rule: str) -> list[tuple[Severity, Confidence]]:
    """Return the severity and the confidence of each finding of a rule."""
    return [(one.severity, one.confidence) for one in project.findings(rule)]


@pytest.mark.parametrize(("options", "moved"), PROVED.values(), ids=PROVED)
def test_a_line_in_view_proves_that_a_module_is_on_a_gpu(
    program: Callable[[str], Checkout], options: str, moved: str
) -> None:
    assert judged(program(TRAINING.format(options=options, moved=moved)), "unmoved-batch") == [ERROR]


@pytest.mark.parametrize(("options", "moved"), ASSUMED.values(), ids=ASSUMED)
def test_what_may_be_a_gpu_is_assumed_to_be_one(program: Callable[[str], Checkout], options: str, moved: str) -> None:
    found = judged(program(TRAINING.format(options=options, moved=moved)), "unmoved-batch")
    assert set(found) <= {WARNING}


def test_a_device_that_a_caller_names_is_assumed_to_be_a_gpu(program: Callable[[str], Checkout]) -> None:
    body = TRAINING.format(options="", moved="model.to(device)").replace("train(data)", "train(data, device)")
    assert judged(program(body), "unmoved-batch") == [WARNING]
    assert judged(program(body + '\ntrain([], "cuda")\n'), "unmoved-batch") == [ERROR]


NOISY = """\
import torch
from torch import nn

class Noisy(nn.Module):
    def forward(self, x{parameter}):
        if {test}:
            x = x + torch.rand(4, 4)
        return x

model = Noisy().cuda()
model(torch.rand(4, 4).cuda(){argument})
"""
TESTS = {
    "a flag that no call sets by default": (", noisy=False, **more", "noisy", ", **settings", WARNING),
    "a name in a list that the default is not in": (
        ', kind="cubic", **more',
        'kind not in ["cubic", "linear"]',
        ", **settings",
        WARNING,
    ),
    "a flag of settings": (", settings={}", 'settings.get("noisy ", False)', ", load()", WARNING),
    "a flag that is on by default": (", noisy=True, **more", "noisy", ", **settings", ERROR),
    "a flag that a call in view sets": (", noisy=False", "noisy", ", noisy=True", ERROR),
    "a test that is no option": ("", "x.ndim == 2", "", ERROR),
}


@pytest.mark.parametrize(("parameter", "test", "argument", "expected"), TESTS.values(), ids=TESTS)
def test_what_an_option_keeps_from_running_by_default_is_no_error(
    program: Callable[[str], Checkout],
    parameter: str,
    test: str,
    argument: str,
    expected: tuple[Severity, Confidence],
) -> None:
    body = NOISY.format(parameter=parameter, test=test, argument=argument)
    assert judged(program(body), "default-device-tensor") == [expected]


CHOSEN = """\
import torch
from torch import nn

class Soft(nn.Module):
    @staticmethod
    def one_hot(labels):
        return torch.zeros(4, 3).scatter_(1, labels, 1)

    def forward(self, x, labels):
        return (x * self.one_hot(labels)).sum()

class Criterion(nn.Module):
    def __init__(self, kind={default!r}, **options):
        super().__init__()
        if kind == "soft":
            self.loss = Soft(**options)
        else:
            self.loss = nn.CrossEntropyLoss(**options)

    def forward(self, x, labels):
        return self.loss(x, labels)

def run(x, labels, options):
    criterion = Criterion(**options).cuda()
    return criterion(x.cuda(), labels.cuda())
"""


@pytest.mark.parametrize(("default", "expected"), [("cross", WARNING), ("soft", ERROR)])
def test_a_method_of_what_no_default_makes_does_not_run_by_default(
    program: Callable[[str], Checkout], default: str, expected: tuple[Severity, Confidence]
) -> None:
    assert judged(program(CHOSEN.format(default=default)), "default-device-tensor") == [expected]


WRAPPED = """\
import torch
from torch import nn
from torch.utils.data import DataLoader

def run(data, model, several):
    model = nn.Linear(4, 2)
    if several:
        model = {wrapped}
    model.cuda()
    for x in DataLoader(data):
        model(x)
"""


@pytest.mark.parametrize(
    ("wrapped", "expected"), [("nn.DataParallel(model)", WARNING), ("nn.Sequential(model, nn.ReLU())", ERROR)]
)
def test_a_wrapper_that_may_be_called_moves_its_inputs(
    program: Callable[[str], Checkout], wrapped: str, expected: tuple[Severity, Confidence]
) -> None:
    assert judged(program(WRAPPED.format(wrapped=wrapped)), "unmoved-batch") == [expected]


CAST = """\
import torch
from torch import nn

def one_hot(labels, size):
    made = torch.zeros(labels.shape[0], size)
    return made.scatter_(1, labels.unsqueeze(1).to({}), 1)

class Net(nn.Module):
    def forward(self, labels):
        return one_hot(labels, 4)
"""


@pytest.mark.parametrize("cast", ["dtype=torch.int64", "torch.int64"])
def test_a_cast_is_no_move(program: Callable[[str], Checkout], cast: str) -> None:
    assert judged(program(CAST.format(cast)), "device-mismatch") == [WARNING]


def test_a_move_in_view_is_one(program: Callable[[str], Checkout]) -> None:
    assert judged(program(CAST.format('"cuda"')), "device-mismatch") == [ERROR]


TEXTS = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(9, 4)

    def forward(self, x{parameter}):
        {test}x = torch.tensor([len(one) for one in x])
        return self.embedding(x)

net = Net().cuda()
net(read(){argument})
"""


def test_an_input_that_only_an_option_replaces_is_not_reported(program: Callable[[str], Checkout]) -> None:
    body = TEXTS.format(parameter=", is_text=False", test="if is_text:\n            ", argument="")
    assert not program(body).reported("unmoved-batch")
    assert not program(body.replace("read()", "read(), **settings")).reported("unmoved-batch")


NUMPY = """\
import numpy as np
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, boxes, scale):
        {}

net = Net().cuda()
net(read(), load())
"""
READS = {
    "an input, which may be an ndarray": ("return np.round(boxes / 2)", [WARNING]),
    "what a layer returns": ("return np.round(self.layer(boxes).detach() / 2)", [ERROR]),
    "the method of a tensor": ("return boxes.numpy()", [ERROR]),
    "an ndarray, which a tensor is made of": ("x = torch.from_numpy(boxes).cuda(); return np.round(boxes), x", []),
}


@pytest.mark.parametrize(("body", "expected"), READS.values(), ids=READS)
def test_an_input_of_a_module_is_assumed_to_be_a_tensor(
    program: Callable[[str], Checkout], body: str, expected: list[tuple[Severity, Confidence]]
) -> None:
    assert judged(program(NUMPY.format(body)), "numpy-of-device-tensor") == expected


TESTED = """\
import torch
from net import Net

def test_it():
    net = Net({argument})
    assert torch.equal(net.model(torch.ones(4)), torch.zeros(2))
"""
OWN = """\
import torch
from torch import nn

class Net:
    def __init__(self, args=None):
        self.model = nn.Linear(4, 2).to("cuda" if torch.cuda.is_available() else "cpu")
"""


@pytest.mark.parametrize(("line", "expected"), [("", WARNING), ('DEVICE = "cuda"\n', ERROR)])
def test_a_test_chooses_its_device_itself(
    project_of: Callable[[dict[str, str]], Checkout], line: str, expected: tuple[Severity, Confidence]
) -> None:
    files = {"test_net.py": line + TESTED.format(argument="None"), "net.py": OWN}
    found = project_of(files).findings("unmoved-batch", "test_net.py")
    assert [(one.severity, one.confidence) for one in found] == [expected]


LACKING = """\
import torch
from torch import nn

def adapt(model, x, device=None):
    if device is None:
        device = model.device
    return model(x.to(device))

adapt(nn.Linear(2, 2), torch.ones(2){})
"""


@pytest.mark.parametrize(("argument", "count"), [("", 1), (', torch.device("cpu")', 0)])
def test_a_device_that_no_call_asks_of_a_module_is_not_reported(
    program: Callable[[str], Checkout], argument: str, count: int
) -> None:
    assert len(program(LACKING.format(argument)).reported("module-device-attribute")) == count


AGENT = """\
import torch
from torch import nn
from torch.utils.data import DataLoader

class Agent:
    def __init__(self, data):
        self.net = nn.Linear(4, 2)
        for x in DataLoader(data):
            self.forward(x)

    def forward(self, x):
        return self.net(x)

    def save(self):
        {}
        self.net.cuda()
"""


@pytest.mark.parametrize(
    ("before", "expected"),
    [("torch.save(self.net.cpu().state_dict(), 'net.pt')", []), ("torch.save({}, 'net.pt')", [ERROR])],
)
def test_a_move_back_after_saving_says_nothing_of_before(
    program: Callable[[str], Checkout], before: str, expected: list[tuple[Severity, Confidence]]
) -> None:
    assert judged(program(AGENT.format(before)), "unmoved-batch") == expected
