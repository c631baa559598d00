"""Which module is put into eval mode in a loop that goes on to train it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "eval-mode-left-on"
EVAL = "model.eval()"
CODE = """\
import copy
import torch
from torch import nn
from elsewhere import anything, evaluating
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    def forward(self, x):
        return self.layers(x)
def validate(model, loader):
    model.eval()
    with torch.no_grad():
        return sum(model(x).sum() for x in loader)
def restored(model, loader):
    was_training = model.training
    model.eval()
    found = sum(model(x).sum() for x in loader)
    model.train(was_training)
    return found
def copied(model, loader):
    model = copy.deepcopy(model)
    model.eval()
    return sum(model(x).sum() for x in loader)
def train_epoch(model, optimizer, loader):
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
def main(loader, other, args):
    model = Net()
    teacher = Net()
    optimizer = torch.optim.SGD({parameters}, lr=0.1)
    model.train()
    for epoch in range(9):
        {round}
"""
TRAIN = ["for x in loader:", "    model(x).mean().backward()", "    optimizer.step()"]
LOOK = ["for x in other:", "    print(model(x))"]
LEFT = {
    "after the batches": [*TRAIN, EVAL, *LOOK],
    "now and then": [*TRAIN, "if epoch % 2 == 0:", f"    {EVAL}", "    print(model(loader[0]))"],
    "now and then before the batches": ["if epoch % 2 == 0:", f"    {EVAL}", "    print(model(loader[0]))", *TRAIN],
    "within the batches": [
        "model.train()",
        "for i, x in enumerate(loader):",
        "    model(x).mean().backward()",
        "    optimizer.step()",
        "    if i % 100 == 0:",
        f"        {EVAL}",
        "        print(model(other[0]))",
    ],
    "where options say so": [*TRAIN, "if args.validate:", f"    {EVAL}", "    print(model(loader[0]))"],
    "before a function that evaluates": [*TRAIN, EVAL, "anything(other)", "print(model(other))"],
    "the program may end": [*TRAIN, "if args.debug:", "    exit()", EVAL, *LOOK],
    "trained in a function": ["train_epoch(model, optimizer, loader)", EVAL, *LOOK],
    "beside what is switched to eval again": [*TRAIN, EVAL, "model.train(False)", *LOOK],
}
RIGHT = {
    "put back at the start": ["model.train()", *TRAIN, EVAL, *LOOK],
    "put back at the end": [*TRAIN, EVAL, *LOOK, "model.train()"],
    "put back by a flag": [*TRAIN, "was = model.training", EVAL, *LOOK, "model.train(was)"],
    "put back by hand": [*TRAIN, EVAL, *LOOK, "model.training = True"],
    "put back by a function": [*TRAIN, "restored(model, other)"],
    "put back in a branch": [*TRAIN, EVAL, *LOOK, "if args.more: model.train()"],
    "a context puts it back": [*TRAIN, "with evaluating(model):", f"    {EVAL}", "    print(model(loader[0]))"],
    "somebody may put it back": [*TRAIN, EVAL, *LOOK, "anything(model)"],
    "somebody is called so": [*TRAIN, EVAL, *LOOK, "anything.set_train()"],
    "it trains in eval mode on purpose": [EVAL, *TRAIN],
    "a copy": [*TRAIN, "other_model = copy.deepcopy(model)", "other_model.eval()", "print(other_model(loader[0]))"],
    "a copy in a function": [*TRAIN, "copied(model, other)"],
    "a teacher": ["teacher.eval()", *TRAIN, "print(teacher(loader[0]))"],
    "made anew": [
        "model = Net()",
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
        *TRAIN,
        EVAL,
        *LOOK,
    ],
    "in the end": [*TRAIN, "if epoch == 8:", f"    {EVAL}", "    print(model(loader[0]))"],
    "when it is done": [*TRAIN, "if args.done:", f"    {EVAL}", "    print(model(loader[0]))", "    break"],
    "the program ends": [*TRAIN, EVAL, *LOOK, "exit()"],
    "the program ends in the first batch": [*TRAIN, "    validate(model, other)", "    print(x)", "    exit()"],
    "nothing is evaluated": [*TRAIN, EVAL],
    "nothing is trained": [EVAL, *LOOK],
}


def _round(statements: list[str], parameters: str = "model.parameters()") -> str:
    return CODE.format(round="\n        ".join(statements), parameters=parameters)


@pytest.mark.parametrize("statements", LEFT.values(), ids=LEFT)
def test_eval_mode_holds_for_the_next_round(program: Program, statements: list[str]) -> None:
    assert program(_round(statements)).reported(RULE) == [EVAL]


@pytest.mark.parametrize("statements", RIGHT.values(), ids=RIGHT)
def test_what_is_put_back_or_not_trained_is_left_alone(program: Program, statements: list[str]) -> None:
    assert program(_round(statements)).reported(RULE) == []


@pytest.mark.parametrize("first", [True, False], ids=["evaluated first", "trained first"])
def test_a_function_of_the_project_leaves_it_in_eval_mode(program: Program, first: bool) -> None:
    calls = ["validate(model, other)", "train_epoch(model, optimizer, loader)"]

    project = program(_round(calls if first else calls[::-1]))

    assert project.reported(RULE) == [EVAL]
    assert ("main.py", "validate(model, other)", "evaluates here") in project.trace(RULE)


@pytest.mark.parametrize(
    ("parameters", "is_found"),
    [
        ("list(model.parameters()) + list(teacher.parameters())", True),
        ("[{'params': model.parameters(), 'lr': 0.1}]", True),
        ("filter(lambda p: p.requires_grad, model.parameters())", True),
        ("model.layers.parameters()", False),
        ("teacher.parameters()", False),
        ("anything()", False),
    ],
)
def test_only_a_module_that_an_optimizer_of_the_loop_trains_counts(
    program: Program, parameters: str, is_found: bool
) -> None:
    assert program(_round([*TRAIN, EVAL, *LOOK], parameters)).reported(RULE) == ([EVAL] if is_found else [])


@pytest.mark.parametrize(
    ("layer", "is_found"), [("nn.Dropout(0.5)", True), ("nn.BatchNorm1d(4)", True), ("nn.ReLU()", False)]
)
def test_a_module_that_is_alike_in_both_modes_is_left_alone(program: Program, layer: str, is_found: bool) -> None:
    code = _round([*TRAIN, EVAL, *LOOK]).replace("nn.Dropout(0.5)", layer)
    code = code[: code.index("def restored")] + code[code.index("def train_epoch") :]

    assert program(code).reported(RULE) == ([EVAL] if is_found else [])


def test_what_nobody_knows_may_have_modes(program: Program) -> None:
    code = (
        _round([*TRAIN, EVAL, *LOOK])
        .replace("nn.Dropout(0.5)", "nn.ReLU()")
        .replace("model = Net()", "model = anything()")
    )
    code = code[: code.index("def restored")] + code[code.index("def train_epoch") :]

    assert program(code).reported(RULE) == [EVAL]


TRAINER = """\
import torch
from torch import nn
{base}
class Trainer({bases}):
    def __init__(self, model):
        self.model = nn.DataParallel(model)
        self.optimizer = torch.optim.Adam(self.model.parameters())
    def fit(self, loader, other):
        self.model.train()
        for epoch in range(9):
            self.epoch(loader)
            {end}
    def epoch(self, loader):
        for x in loader:
            self.model(x).mean().backward()
            self.optimizer.step()
    def evaluate(self, other):
        self.model.eval()
        with torch.no_grad():
            return [self.model(x) for x in other]
Trainer(nn.Sequential(nn.Linear(2, 2), nn.Dropout())).fit([], [])
"""


@pytest.mark.parametrize(
    ("base", "end", "is_found"),
    [
        ("", "self.evaluate(other)", True),
        ("", "self.evaluate(other); self.model.train()", False),
        ("", "self.evaluate(other); other.after(self)", False),
        ("from elsewhere import Base", "self.evaluate(other); self.after()", False),
    ],
)
def test_a_module_of_an_object_is_followed_through_methods(
    program: Program, base: str, end: str, is_found: bool
) -> None:
    code = TRAINER.format(base=base, bases="Base" if base else "", end=end)

    assert program(code).reported(RULE) == (["self.model.eval()"] if is_found else [])


ADVERSARIES = """\
import torch
from torch import nn
class Noise:
    def __init__(self, model, x):
        self.model = model
        self.noise = torch.zeros_like(x, requires_grad=True)
        self.optimizer = {optimizer}
    def search(self, x):
        self.optimizer.zero_grad()
        self.model(x + self.noise).mean().backward()
        self.optimizer.step()
def main(loader, other):
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    torch.optim.Adam(model.parameters())
    for epoch in range(9):
        for x in loader:
            Noise(model, x).search(x)
        model.eval()
        for x in other:
            print(model(x))
"""


@pytest.mark.parametrize(
    ("optimizer", "is_found"),
    [("torch.optim.Adam([self.noise])", False), ("torch.optim.Adam(model.parameters())", True)],
)
def test_a_loop_that_optimizes_a_tensor_trains_no_module(program: Program, optimizer: str, is_found: bool) -> None:
    assert bool(program(ADVERSARIES.format(optimizer=optimizer)).reported(RULE)) == is_found


@pytest.mark.parametrize(
    ("made", "severity"), [("nn.Sequential(nn.Linear(2, 2), nn.Dropout())", "error"), ("make()", "warning")]
)
def test_a_module_whose_layers_are_not_seen_may_have_one_mode(program: Program, made: str, severity: str) -> None:
    code = TRAINER.format(base="from elsewhere import make", bases="", end="self.evaluate(other)")
    project = program(code.replace("Trainer(nn.Sequential(nn.Linear(2, 2), nn.Dropout()))", f"Trainer({made})"))

    assert [one.severity.value for one in project.findings(RULE)] == [severity]


BY_FLAG = """
import torch
from torch import nn
def validate(model, x):
    model.eval()
    return model(x)
def run(model, optimizer, loader, train):
    {first}
    for x in loader:
        loss = validate(model, x).mean() if {evaluating} else model(x).mean()
        if train:
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
model = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
optimizer = torch.optim.Adam(model.parameters())
run(model, optimizer, [torch.ones(2)], True)
"""


@pytest.mark.parametrize(
    ("evaluating", "first", "is_found"),
    [
        ("not train", "", False),
        ("not train and len(x) > 1", "", False),
        ("len(x) > 1", "", True),
        ("train", "", True),
        ("not train", "train = len(loader) > 1", True),
    ],
)
def test_a_flag_that_no_iteration_changes_evaluates_or_trains(
    program: Program, evaluating: str, first: str, is_found: bool
) -> None:
    assert bool(program(BY_FLAG.format(evaluating=evaluating, first=first)).reported(RULE)) == is_found


HELPED = """\
import torch
from torch import nn
from elsewhere import anything
class Both:
    def __init__(self):
        self.one, self.two = nn.Sequential(nn.Linear(4, 4), nn.Dropout()), nn.Linear(4, 4)
        params = list(self.two.parameters())
        params += list(self.one.parameters())
        self.optimizer = torch.optim.SGD(params, lr=0.1)
    def on(self): self.one.train()
    def off(self): {off}
    def embed(self, x): return self.two(self.one(x))
    def step(self, x):
        self.optimizer.zero_grad()
        self.embed(x).mean().backward()
        self.optimizer.step()
def score(both, loader):
    both.off()
    {then}
def train(both, loader):
    both.on()
    for i, x in enumerate(loader):
        {first}
        both.step(x)
        if i % 10 == 9: score(both, loader)
def main(loader):
    both = Both()
    for epoch in range(9):
        train(both, loader)
        print(score(both, loader))
main(anything())
"""
OFF = "self.one.eval()"


def helped(off: str = OFF, then: str = "return [both.embed(x) for x in loader]", first: str = "pass") -> str:
    return HELPED.format(off=off, then=then, first=first)


@pytest.mark.parametrize("then", ["return [both.embed(x) for x in loader]", "return anything(both)"])
def test_a_function_that_only_switches_does_so_for_its_caller(program: Program, then: str) -> None:
    expected = [f"def off(self): {OFF}"] if "embed" in then else []

    assert program(helped(then=then)).reported(RULE) == expected


@pytest.mark.parametrize(
    "source",
    [
        helped(first="both.on()"),
        helped(then="return loader"),
        helped(then="both.on()\n    return [both.embed(x) for x in loader]"),
        helped(off=f"anything(self); {OFF}"),
        helped().replace("if i % 10 == 9: score(both, loader)", "pass"),
    ],
)
def test_what_a_helper_switches_may_be_put_back(program: Program, source: str) -> None:
    assert program(source).reported(RULE) == []
