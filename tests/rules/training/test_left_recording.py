"""Which module is evaluated while autograd records without a use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "evaluation-without-no-grad"
FOUND = ["model(x)"]
CODE = """\
import torch
from torch import nn
from elsewhere import anything
from tqdm import tqdm
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Linear(4, 4)
    def forward(self, x):
        return self.layers(x)
class Word:
    def eval(self): pass
    def __call__(self, x): return x
def part(source, i): return source[i : i + 8]
def train(model, optimizer, loader):
    for x in loader:
        optimizer.zero_grad()
        model(x + 1).mean().backward()
        optimizer.step()
{function}
def main(loader, validation, model):
    model = {made}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    {freezing}
    for epoch in range(9):
        train(model, optimizer, loader)
        {calling}
main(anything(), anything(), anything())
"""
FUNCTION = """
def validate(model, loader):
    model.eval()
    total = 0
    for x in loader:
        y = model(x)
        total += y.mean().item()
    return total
"""
CALLING = "validate(model, validation)"


def code(
    function: str = FUNCTION, calling: str = CALLING, made: str = "Net()", freezing: str = "pass", of: str = CODE
) -> str:
    return of.format(function=function, calling=calling, made=made, freezing=freezing)


@pytest.mark.parametrize(
    "old_and_new",
    [
        ("for x in loader", "for x in tqdm(loader)"),
        ("for x in loader", "for _, (x, target) in enumerate(loader)"),
        ("for x in loader:", "for i in range(0, 64, 8):\n        x = loader[i : i + 8].float()"),
        (
            "for x in loader:",
            "for i in tqdm(range(0, 64, 8)):\n        rows = anything()[i : i + 8]\n        x = loader[rows]",
        ),
        ("for x in loader:", "for i in range(9):\n        start = i * 8\n        x = loader[start : start + 8]"),
        ("for x in loader:", "for i in range(9):\n        x = part(loader, i)"),
        (
            "for x in loader:",
            "loader = iter(loader)\n    for _ in range(9):\n        batch = next(loader)\n        x, y = batch",
        ),
        ("y = model(x)", "y = model(x.float()).detach()"),
        ("y = model(x)", "with torch.autocast('cuda'):\n            y = model(x)"),
        ("y = model(x)", "with torch.enable_grad():\n            pass\n        y = model(x)"),
        ("return total", "return total / len(loader)"),
        ("return total", "return (y > 0).float()"),
    ],
    ids=[
        "a bar",
        "counted",
        "slices",
        "rows",
        "slices by a name",
        "parts",
        "next",
        "detached",
        "autocast",
        "another block",
        "a mean",
        "a comparison",
    ],
)
def test_what_is_evaluated_batch_by_batch_is_recorded_for_nobody(
    program: Program, old_and_new: tuple[str, str]
) -> None:
    found = program(code(FUNCTION.replace(*old_and_new))).reported(RULE)

    assert [line.replace(".float()", "").replace(".detach()", "") for line in found] == ["y = model(x)"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def validate", "@torch.no_grad()\ndef validate"),
        ("def validate", "@torch.inference_mode()\ndef validate"),
        ("def validate", "@anything\ndef validate"),
        ("y = model(x)", "with torch.no_grad():\n            y = model(x)"),
        ("y = model(x)", "with anything():\n            y = model(x)"),
        ("model.eval()", "model.eval(); torch.set_grad_enabled(False)"),
        ("model.eval()", "model.train()"),
        ("    model.eval()\n", ""),
        ("model.eval()", "model.eval(); model.train()"),
        ("total += y.mean().item()", "y.mean().backward()"),
        ("total += y.mean().item()", "total += torch.autograd.grad(y.mean(), x)[0].sum()"),
        ("    return total", "    loader.last = y"),
        ("        total += y.mean().item()", "        yield y"),
        ("        total += y.mean().item()", "        break"),
        ("for x in loader", "for step in range(9)"),
    ],
)
def test_what_records_nothing_or_for_somebody_is_left_alone(program: Program, old: str, new: str) -> None:
    assert program(code(FUNCTION.replace(old, new))).reported(RULE) == []


@pytest.mark.parametrize("name", ["attack", "grad_cam", "saliency_of", "adapt", "fit_inputs", "FisherInformation"])
def test_who_says_so_wants_gradients(program: Program, name: str) -> None:
    function, calling = (text.replace("validate", name) for text in (FUNCTION, CALLING))

    assert program(code(function, calling)).reported(RULE) == []


@pytest.mark.parametrize(
    ("calling", "expected"),
    [
        (CALLING, 1),
        (f"with torch.no_grad():\n            {CALLING}", 0),
        (f"{CALLING}\n        with torch.no_grad():\n            {CALLING}", 0),
        ("anything(validate)", 0),
        ("pass", 1),
    ],
    ids=["recorded", "not recorded", "both", "handed on", "not called"],
)
def test_every_caller_has_to_let_autograd_record(program: Program, calling: str, expected: int) -> None:
    assert len(program(code(calling=calling)).reported(RULE)) == expected


@pytest.mark.parametrize(
    ("made", "freezing", "expected"),
    [
        ("nn.DataParallel(Net())", "pass", 1),
        ("Word()", "pass", 0),
        ("Net()", "for p in model.layers.parameters(): p.requires_grad = False", 1),
        ("Net()", "model.requires_grad_(False); optimizer = None", 1),
    ],
    ids=["a wrapper", "no module", "partly frozen", "trained"],
)
def test_the_module_has_to_be_one_that_is_trained(program: Program, made: str, freezing: str, expected: int) -> None:
    assert len(program(code(made=made, freezing=freezing)).reported(RULE)) == expected


@pytest.mark.parametrize(
    ("calling", "expected"),
    [
        (f"found = {CALLING}\n        print(found)", 1),
        (f"found = {CALLING}\n        found.backward()", 0),
        (f"found, other = {CALLING}, 1\n        (found * 2).backward()", 0),
        (f"found = {CALLING}\n        return found", 0),
        (f"anything({CALLING})", 0),
        (CALLING, 1),
    ],
)
def test_a_sum_of_losses_is_only_read_where_nobody_differentiates_it(
    program: Program, calling: str, expected: int
) -> None:
    checkout = program(code(FUNCTION.replace("y.mean().item()", "y.mean()"), calling))

    assert len(checkout.reported(RULE)) == expected


def test_a_frozen_module_that_nobody_trains_records_nothing(program: Program) -> None:
    source = (
        f"import torch\nfrom torch import nn\n{FUNCTION}net = nn.Linear(2, 2)\n{{}}validate(net, [torch.ones(2)])\n"
    )

    assert len(program(source.format("")).reported(RULE)) == 1
    assert program(source.format("net.requires_grad_(False)\n")).reported(RULE) == []


def test_within_a_step_that_trains_another_module_nothing_is_said(program: Program) -> None:
    function = FUNCTION.replace("return total", "return (y > 0).float()")
    source = code(function, calling="pass").replace(
        "optimizer.zero_grad()", "optimizer.zero_grad(); validate(model, [x])"
    )

    assert program(source).reported(RULE) == []


def test_a_module_of_which_nothing_is_known_is_hardly_one(program: Program) -> None:
    checkout = program(code(made="anything()"))

    assert [finding.confidence.value for finding in checkout.findings(RULE)] == ["medium"]


_OBJECT = """\
import torch
from torch import nn

class Learner:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.2), nn.Linear(8, 2))

    {decorator}
    def logits(self, x):
        return self.net(x)

    def validate(self, loader):
        {switch}
        hits = 0
        for x, y in loader:
            out = {call}
            hits += (out.argmax(1) == y).sum()
        return int(hits)

print(Learner().validate([(torch.randn(4, 4), torch.zeros(4)) for _ in range(3)]))
"""
_SWITCH, _LOGITS, _PASS = "self.net.eval()", "self.logits(x)", "# nothing"


@pytest.mark.parametrize(
    ("switch", "call"),
    [
        (_SWITCH, "self.net(x)"),
        (_SWITCH, "self.net.forward(x)"),
        (_SWITCH, _LOGITS),
        ("self.net.train(False)", _LOGITS),
        ("self.net.train(mode=False)", "self.net(x)"),
        ("net = self.net.eval()", "net(x)"),
        ("net = self.net.eval()", "net.forward(x)"),
    ],
)
def test_a_module_runs_by_any_of_its_names_and_methods(program: Program, switch: str, call: str) -> None:
    found = program(_OBJECT.format(switch=switch, call=call, decorator=_PASS)).reported(RULE)

    assert found == [f"out = {call}"]


@pytest.mark.parametrize(
    ("switch", "call", "decorator"),
    [
        (_SWITCH, _LOGITS, "@torch.no_grad()"),
        ("self.net.train()", _LOGITS, _PASS),
        ("self.net.train(self.mode)", _LOGITS, _PASS),
        ("self.net.train(True)", "self.net(x)", _PASS),
        ("other = self.net.eval()", "len(x)", _PASS),
    ],
)
def test_a_method_that_records_nothing_and_another_mode_are_not_left(
    program: Program, switch: str, call: str, decorator: str
) -> None:
    assert program(_OBJECT.format(switch=switch, call=call, decorator=decorator)).reported(RULE) == []


@pytest.mark.parametrize(("kind", "method"), [("Trainer", "validate"), ("FittedModel", "_valid_epoch")])
def test_a_class_that_trains_has_methods_that_evaluate(program: Program, kind: str, method: str) -> None:
    code = _OBJECT.format(switch=_SWITCH, call="self.net(x)", decorator=_PASS)
    found = program(code.replace("Learner", kind).replace("validate", method)).reported(RULE)

    assert found == ["out = self.net(x)"]


@pytest.mark.parametrize(("kind", "method"), [("Learner", "train_head"), ("Attack", "run"), ("Learner", "fit_head")])
def test_a_function_that_trains_may_want_the_graph(program: Program, kind: str, method: str) -> None:
    code = _OBJECT.format(switch=_SWITCH, call="self.net(x)", decorator=_PASS)

    assert program(code.replace("Learner", kind).replace("validate", method)).reported(RULE) == []


_EPOCHS = """\
import torch
from torch import nn

def train(model, optimizer, loader, validation, epochs):
    history, kept = [], []
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y){term}
            loss.backward()
            optimizer.step()
        {switch}
        for x, y in validation:
            out = {call}
            loss = nn.functional.cross_entropy(out, y)
            {use}
        print(sum(history))

model = nn.Linear(4, 3)
batches = [(torch.rand(2, 4), torch.tensor([0, 1]))]
train(model, torch.optim.SGD(model.parameters(), lr=0.1), batches, batches, 3)
"""


def _between_epochs(
    term: str = "", switch: str = "model.eval()", call: str = "model(x)", use: str = "history.append(loss.item())"
) -> str:
    return _EPOCHS.format(term=term, switch=switch, call=call, use=use)


@pytest.mark.parametrize(
    "source",
    [
        _between_epochs(),
        _between_epochs().replace("def train(", "def fit_classifier("),
        _between_epochs().replace("def train(", "def main("),
        _between_epochs(use="out = out.argmax(1)"),
        _between_epochs(switch="if epoch % 2:\n            continue\n        model.eval()"),
        # What a step may read of the last evaluation has no graph.
        _between_epochs(term=" + error if epoch else 0", use="\n            with torch.no_grad(): error = out.mean()"),
    ],
)
def test_a_function_that_trains_evaluates_between_its_epochs(program: Program, source: str) -> None:
    assert program(source).reported(RULE) == ["out = model(x)"]


@pytest.mark.parametrize(
    "source",
    [
        _between_epochs(switch="model.train()"),
        _between_epochs(use="loss.backward()"),
        _between_epochs(
            call="model(x).detach() if epoch else nn.functional.relu(x)", switch="model.train(False); model.train()"
        ),
        # The next epoch computes its loss with what this loop has left.
        _between_epochs(term=" + sum(kept)", use="kept.append(out.mean())"),
        _between_epochs(term=" + out.mean() if epoch else 0"),
        # A module that is run within the step of another one.
        _between_epochs()
        .replace(
            "            loss.backward()",
            "            model.eval()\n            for a, _ in loader:\n                b = model(a)\n            loss.backward()",
        )
        .replace("out = model(x)", "out = x"),
    ],
)
def test_what_steps_of_the_same_function_may_use_is_left_alone(program: Program, source: str) -> None:
    assert program(source).reported(RULE) == []


SAMPLING = """\
import torch
from torch import nn
from torch.autograd import grad, Variable
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Linear(4, 4)
    def forward(self, x):
        {inside}
        return self.layers(x)
def train(model, optimizer, loader):
    for x in loader:
        optimizer.zero_grad()
        model(x + 1).mean().backward()
        optimizer.step()
def validate(model, loader):
    model.eval()
    total = 0
    for x in loader:
        total += model(x).mean().item()
    return total
model = Net()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), [torch.rand(2, 4)])
validate(model, [torch.rand(2, 4)])
"""


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("x = x + torch.autograd.Variable(torch.randn(4))", 1),
        ("x = x + Variable(torch.randn(4))", 1),
        ("x = torch.autograd.grad(self.layers(x).sum(), x)[0]", 0),
        ("x = grad(self.layers(x).sum(), x)[0]", 0),
        ("x = torch.autograd.functional.jacobian(self.layers, x)", 0),
        ("x = torch.func.hessian(self.layers)(x)", 0),
        ("x = torch.autograd.functional.vjp(self.layers, x)[1]", 0),
    ],
)
def test_what_autograd_has_computes_gradients_only_by_some_names(program: Program, inside: str, expected: int) -> None:
    assert len(program(SAMPLING.format(inside=inside)).reported(RULE)) == expected
