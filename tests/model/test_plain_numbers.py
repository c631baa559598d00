"""What is a number by how it is written and bound: the evaluator, which is not asked, never takes it for a tensor."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import Place, Project, Tensor
from torchlint.model.tensors.plain_numbers import is_plain
from torchlint.model.worlds import WITH_CUDA
from torchlint.syntax.walk import parents_within

Program: TypeAlias = Callable[[str], Checkout]
READ = (ast.Name, ast.Subscript, ast.BinOp, ast.Attribute, ast.Call)
FIXTURES = Path(__file__).parents[2] / "fixtures"
PROGRAM = """\
import torch

SIZES = {{"small": 2, "large": 3}}
CACHE = {{}}

def run(x, n, names, layers, shapes):
    {code}
"""
PLAIN = {
    "a loop over a range": "for j in range(n): use(j)",
    "a loop over a range, backwards": "for j in reversed(range(n)): use(j + 1)",
    "a comprehension": "y = [use(j) for j in range(n)]",
    "numbered items": "for j, layer in enumerate(layers): use(2 * j)",
    "keys": "for j, name in names.items(): use(j)",
    "a shape": "b, c = x.shape; use(b // c)",
    "a size": "b = x.size(0); use(b if b > 1 else None)",
    "a length": "b = len(x); b += 1; use(-b)",
    "a text": "for j in names.keys(): use(j.replace('a', 'b'))",
    "a constant": "use(SIZES['small'])",
    "an argument that is said to be a number": "def scaled(k: int | None = None): use(k)",
    "a product with one": "def scaled(k: float): use(len(x) * k)",
}
OPEN = {
    "an argument": "use(n)",
    "a product with an argument": "b = len(x); use(b * n)",
    "an item of an argument": "for j in names: use(j)",
    "a numbered item": "for j, layer in enumerate(layers): use(layer)",
    "a value": "for name, j in names.items(): use(j)",
    "what is one of two": "b = len(x)\n    if n: b = x\n    use(b)",
    "an item of a list that grows": "held = [0]; held.append(x); use(held[0])",
    "what is put into a table": "CACHE['x'] = x; use(CACHE['x'])",
    "a range of the file": "for j in range(n): use(j)\n\ndef range(n): return [torch.zeros(n)]",
    "a length of the file": "use(len(x))\n\ndef len(x): return x",
    "a method's result": "use(x.sum())",
    "an argument that is said to be a tensor": "def scaled(k: torch.Tensor): use(k)",
    "arguments that are said to be numbers": "def scaled(*k: int): use(k)",
    "an argument that is bound again": "def scaled(k: int): k = x; use(k)",
}


def _used(checkout: Checkout) -> Place:
    file = checkout.file()
    (found,) = (Place(file, call.args[0], statement) for call, statement in file.index.calls("use"))
    return found


@pytest.mark.parametrize("code", PLAIN.values(), ids=PLAIN.keys())
def test_a_number_is_known_by_how_it_is_bound(program: Program, code: str) -> None:
    assert is_plain(_used(program(PROGRAM.format(code=code))))


@pytest.mark.parametrize("code", OPEN.values(), ids=OPEN.keys())
def test_what_may_be_a_tensor_is_asked_for(program: Program, code: str) -> None:
    assert not is_plain(_used(program(PROGRAM.format(code=code))))


@pytest.mark.parametrize("rule", ["default-device-tensor", "device-mismatch", "unmoved-batch", "unregistered-tensor"])
def test_no_query_takes_it_for_a_tensor(rule: str) -> None:
    project = Project(FIXTURES / rule)

    found = [place for path in sorted((FIXTURES / rule).glob("*.py")) for place in _plain_in(project, path)]

    assert found
    assert not [place.text for place in found if _may_be_tensor(place)]


def _plain_in(project: Project, path: Path) -> Iterator[Place]:
    file = project.open(path, path.name)
    for statement in file.index.home:
        for node in parents_within(statement):
            if isinstance(node, READ) and is_plain(place := Place(file, node, statement)):
                yield place


def _may_be_tensor(place: Place) -> bool:
    possible = place.file.project.evaluator(WITH_CUDA).evaluate(place)
    return any(isinstance(one.value, Tensor) for one in possible)
