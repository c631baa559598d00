"""Parts of wrapped modules that get no gradients."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.unused_parameters import unused_parameters
from torchlint.model import Project

PROGRAM = """
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel
{before}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
        self.head = {made}
        {init}
    def forward(self, x):
        {forward}
    {method}
model = Net()
{after}
wrapped = DistributedDataParallel(model{arguments})
optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.1)
for batch in batches:
    loss = wrapped(batch).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
PLAIN = {
    "before": "",
    "made": "nn.Linear(2, 2)",
    "init": "pass",
    "forward": "return self.body(x)",
    "method": "",
    "after": "",
    "arguments": "",
}


def found_in(tmp_path: Path, **parts: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(**{**PLAIN, **parts}))
    file = Project(tmp_path).open(path, "main.py")
    return [part.name for one in unused_parameters(file.evaluator(), file) for part in one.parts]


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"made": "nn.Parameter(torch.zeros(2))"},
        {"made": "nn.Sequential(nn.ReLU(), nn.Linear(2, 2))"},
        {"init": "nn.init.zeros_(self.head.bias)"},
        {"init": "self.head.weight.data.normal_()"},
        {"init": "self.head.apply(print)"},
        {"init": "init_weights(self.head)"},
        {"arguments": ", find_unused_parameters=False"},
        {"after": "model = model.to('cuda')"},
        {"after": "for p in model.parameters(): p.requires_grad = True"},
        {"before": "class Other(nn.Module):\n    def forward(self, x): return self.head(x)\n"},
        {"method": "def second(self, x):\n        return self.head(x)"},
    ],
)
def test_a_part_that_nothing_uses_is_found(tmp_path: Path, parts: dict[str, str]) -> None:
    assert found_in(tmp_path, **parts) == ["self.head"]


@pytest.mark.parametrize(
    "parts",
    [
        {"made": "nn.ReLU()"},
        {"made": "nn.Linear(2, 2).requires_grad_(False)"},
        {"made": "nn.Linear(2, 2) if body else None"},
        {"made": "make_head()"},
        {"made": "nn.Parameter(torch.zeros(2), requires_grad=False)"},
        {"init": "self.head = None"},
        {"init": "self.layers = nn.Sequential(self.body, self.head)", "forward": "return self.layers(x)"},
        {"init": "self.head.weight = self.body.weight"},
        {"init": "for p in self.head.parameters(): p.requires_grad = False"},
        {"init": "if body: return"},
        {"forward": "return self.head(self.body(x))"},
        {"forward": "return self.body(x) if x.sum() > 0 else self.head(x)"},
        {"forward": "return (lambda y: self.head(y))(self.body(x))"},
        {"forward": "return getattr(self, 'he' + 'ad')(x)"},
        {"forward": "return nn.Sequential(*self.children())(x)"},
        {"forward": "return self.second(self.body(x))", "method": "def second(self, x):\n        return self.head(x)"},
        {
            "forward": "return self.both(self.body(x))",
            "method": "@property\n    def both(self):\n        return self.head",
        },
        {"method": "def second(self, x):\n        return self.head(x)", "after": "model.second(1)"},
        {"after": "model.head = nn.Identity()"},
        {"after": "del model.head"},
        {"after": "setattr(model, 'head', None)"},
        {"after": "for p in model.parameters(): p.requires_grad = False"},
        {"after": "model.requires_grad_(False)"},
        {"after": "model._ddp_params_and_buffers_to_ignore = ['head.weight']"},
        {"after": "penalty = model.head.weight.norm()"},
        {"arguments": ", find_unused_parameters=True"},
        {"arguments": ", find_unused_parameters=args.find"},
        {"arguments": ", static_graph=True"},
        {"arguments": ", **options"},
    ],
)
def test_what_may_be_used_or_need_not_be_is_not(tmp_path: Path, parts: dict[str, str]) -> None:
    assert found_in(tmp_path, **parts) == []


def test_the_parts_of_parts_are_found(tmp_path: Path) -> None:
    inner = "class Inner(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    inner += "        self.one = nn.Linear(2, 2)\n        self.two = nn.Linear(2, 2)\n"
    inner += "    def forward(self, x):\n        return self.one(x)\n"

    assert found_in(tmp_path, before=inner, made="Inner()", forward="return self.head(self.body(x))") == ["self.two"]


def test_a_module_that_no_loop_trains_needs_no_gradients(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(**PLAIN).replace("wrapped(batch)", "model(batch)"))
    file = Project(tmp_path).open(path, "main.py")

    assert list(unused_parameters(file.evaluator(), file)) == []
