"""What expressions may be, through functions, objects and containers."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]
HEAD = "import torch\nimport numpy as np\nfrom torch import nn\nmodel = nn.Linear(2, 2)\n"

# Each program asks `use(x)`; the kinds of what `x` may be, sorted.
KINDS = {
    "a factory": ("x = torch.zeros(2)", ["Tensor"]),
    "arithmetic of a tensor": ("x = 1 + torch.zeros(2) / 2", ["Tensor"]),
    "a comparison of a tensor": ("x = torch.zeros(2) > 1", ["Tensor"]),
    "a method of a tensor": ("x = torch.zeros(2).sum()", ["Tensor"]),
    "a function of torch": ("x = torch.nn.functional.relu(torch.zeros(2))", ["Tensor"]),
    "the call of a layer": ("x = model(torch.zeros(2))", ["Tensor"]),
    "a loss": ("x = nn.MSELoss()(model(1), 2)", ["Tensor"]),
    "an attribute of a tensor": ("x = torch.zeros(2).data", ["Tensor"]),
    "a shape": ("x = torch.zeros(2).shape[0]", ["Number"]),
    "a size": ("x = torch.zeros(2).size(0)", ["Number"]),
    "an item": ("x = torch.zeros(2).item()", ["Number"]),
    "an array": ("x = np.zeros(2)", ["Array"]),
    "an array of a tensor": ("x = torch.zeros(2).numpy()", ["Array"]),
    "arithmetic of an array": ("x = np.zeros(2) * 2", ["Array"]),
    "a batch": ("for x in torch.utils.data.DataLoader([]):\n    pass", ["Tensor"]),
    "an enumerated batch": ("for i, x in enumerate(torch.utils.data.DataLoader([])):\n    pass", ["Tensor"]),
    "a zipped batch": ("for a, x in zip([1], torch.utils.data.DataLoader([])):\n    pass", ["Tensor"]),
    "a count": ("for x, _ in enumerate([1]):\n    pass", ["Number"]),
    "a returned tensor": ("def f():\n    return torch.zeros(2)\nx = f()", ["Tensor"]),
    "what an argument makes of it": ("def f(y):\n    return y * 2\nx = f(torch.zeros(2))", ["Tensor"]),
    "one of two returns": ("def f(y):\n    if y:\n        return torch.zeros(2)\n    return 1\nx = f(y)", ["Literal", "Tensor"]),
    "one of a returned tuple": ("def f():\n    return 1, torch.zeros(2)\n_, x = f()", ["Tensor"]),
    "a starred rest": ("a, *rest = 1, torch.zeros(2)\nx = rest[0]", ["Literal", "Tensor"]),
    "a nested tuple": ("a, (b, x) = 1, (2, torch.zeros(2))", ["Tensor"]),
    "nothing is returned": ("def f():\n    pass\nx = f()", ["Literal"]),
    "a generator": ("def f():\n    yield torch.zeros(2)\nfor x in f():\n    pass", ["Tensor"]),
    "yield from": ("def f():\n    yield from [torch.zeros(2)]\nfor x in f():\n    pass", ["Tensor"]),
    "a lambda": ("f = lambda y: y + 1\nx = f(torch.zeros(2))", ["Tensor"]),
    "a partial": ("from functools import partial\ndef f(a, b):\n    return b\nx = partial(f, 1)(torch.zeros(2))", ["Tensor"]),
    "a partial by keyword": (
        "from functools import partial\ndef f(a, b):\n    return b\nx = partial(f, b=torch.zeros(2))(1)", ["Tensor"]),
    "a default": ("def f(y=torch.zeros(2)):\n    return y\nx = f()", ["Tensor"]),
    "a keyword-only default": ("def f(*, y=1.5):\n    return y\nx = f()", ["Literal"]),
    "a method": ("class A:\n    def f(self):\n        return torch.zeros(2)\nx = A().f()", ["Tensor"]),
    "an inherited method": (
        "class A:\n    def f(self):\n        return torch.zeros(2)\nclass B(A):\n    pass\nx = B().f()", ["Tensor"]),
    "a method of super": (
        "class A:\n    def f(self):\n        return torch.zeros(2)\nclass B(A):\n    def f(self):\n        return super().f()\n"
        "x = B().f()", ["Tensor"]),
    "a static method": ("class A:\n    @staticmethod\n    def f(y):\n        return y\nx = A.f(torch.zeros(2))", ["Tensor"]),
    "a class method": (
        "class A:\n    @classmethod\n    def f(cls, y):\n        return y\nx = A.f(torch.zeros(2))", ["Tensor"]),
    "a property": ("class A:\n    @property\n    def f(self):\n        return torch.zeros(2)\nx = A().f", ["Tensor"]),
    "an attribute of self": (
        "class A:\n    def __init__(self):\n        self.y = torch.zeros(2)\nx = A().y", ["Tensor"]),
    "an attribute by an argument": (
        "class A:\n    def __init__(self, y):\n        self.y = y\nx = A(torch.zeros(2)).y", ["Tensor"]),
    "an attribute of another object": (
        "class A:\n    def __init__(self, y):\n        self.y = y\na = A(torch.zeros(2))\nb = A(1)\nx = b.y", ["Literal"]),
    "an attribute that was just set": (
        "class A:\n    y = 1\n    def f(self):\n        self.y = torch.zeros(2)\n        return self.y\nx = A().f()", ["Tensor"]),
    "a class attribute": ("class A:\n    y = 1.5\nx = A.y", ["Literal"]),
    "a callable object": (
        "class A:\n    def __call__(self, y):\n        return y\nx = A()(torch.zeros(2))", ["Tensor"]),
    "a module's forward": (
        "class Net(nn.Module):\n    def forward(self, y):\n        return model(y), 1\nx, _ = Net()(torch.zeros(2))", ["Tensor"]),
    "an iterable object": (
        "class A:\n    def __iter__(self):\n        return iter([torch.zeros(2)])\nfor x in A():\n    pass", ["Tensor"]),
    "an item of a list": ("xs = [1, torch.zeros(2)]\nx = xs[1]", ["Tensor"]),
    "an item from the end": ("xs = [1, torch.zeros(2)]\nx = xs[-1]", ["Tensor"]),
    "an item of a dict": ("d = {'a': 1, 'b': torch.zeros(2)}\nx = d['b']", ["Tensor"]),
    "get": ("d = {'b': torch.zeros(2)}\nx = d['b']", ["Tensor"]),
    "stored into a dict": ("d = {}\nd['b'] = torch.zeros(2)\nx = d['b']", ["Tensor"]),
    "appended to a list": ("xs = []\nxs.append(torch.zeros(2))\nfor x in xs:\n    pass", ["Tensor"]),
    "a comprehension": ("for x in [torch.zeros(2) for _ in range(3)]:\n    pass", ["Tensor"]),
    "a comprehension's own name": ("ys = [torch.zeros(2)]\nfor x in [y for y in ys]:\n    pass", ["Tensor"]),
    "a sum of tensors": ("x = sum([torch.zeros(2)])", ["Tensor"]),
    "a sum of numbers": ("x = sum([1, 2])", ["Number"]),
    "the next one": ("x = next(iter([torch.zeros(2)]))", ["Tensor"]),
    "getattr": ("class A:\n    y = 1.5\nx = getattr(A(), 'y', None)", ["Literal"]),
    "a ternary": ("x = torch.zeros(2) if c else 1", ["Literal", "Tensor"]),
    "or": ("x = None or torch.zeros(2)", ["Tensor"]),
    "a walrus": ("print(x := torch.zeros(2))", ["Tensor"]),
    "augmented": ("x = 0\nfor y in [torch.zeros(2)]:\n    x += y", ["Literal", "Tensor"]),
    "a global": ("x = None\ndef f():\n    global x\n    x = torch.zeros(2)\nf()", ["Literal", "Tensor"]),
    "a nonlocal": (
        "def f():\n    y = None\n    def g():\n        nonlocal y\n        y = torch.zeros(2)\n    g()\n    return y\nx = f()",
        ["Literal", "Tensor"]),
    "a closure": ("def f():\n    y = torch.zeros(2)\n    def g():\n        return y\n    return g()\nx = f()", ["Tensor"]),
    "a closure that is handed out": (
        "def f():\n    y = torch.zeros(2)\n    def g():\n        return y\n    return g\nx = f()()", ["Tensor"]),
    "a decorated function": (
        "@torch.no_grad()\ndef f():\n    return torch.zeros(2)\nx = f()", ["Tensor"]),
    "after a test for None": ("def f(y=None):\n    if y is None:\n        y = torch.zeros(2)\n    return y\nx = f()", ["Tensor"]),
    "where it is set in the arm": (
        "y = None\nif y is None:\n    y = torch.zeros(2)\n    x = y\n", ["Tensor"]),
    "after a test of its type": (
        "y = [1.5, torch.zeros(2)][n]\nif not isinstance(y, torch.Tensor):\n    y = torch.tensor(y)\nx = y", ["Tensor"]),
    "recursion": ("def f(n):\n    return f(n - 1) if n else torch.zeros(2)\nx = f(k)", ["Tensor", "Unknown"]),
    "functions that call each other": (
        "def f(n):\n    return g(n)\ndef g(n):\n    return f(n) if n else 1.5\nx = f(k)", ["Literal", "Unknown"]),
    "a name of itself": ("x = torch.zeros(2)\nfor _ in range(3):\n    x = x + 1", ["Tensor"]),
    "two names that swap": ("x, y = torch.zeros(2), 1\nfor _ in range(3):\n    x, y = y, x", ["Literal", "Tensor"]),
    "something else": ("import other\nx = other.thing()", ["Unknown"]),
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), KINDS.values(), ids=KINDS)
def test_a_value_is_followed_to_where_it_was_made(program: Program, code: str, expected: list[str]) -> None:
    project = program(f"{HEAD}{dedent(code)}\nuse(x)  # here\n")

    assert sorted({type(value).__name__ for value in project.values("x", mark="here")}) == expected


CONFIGS = {
    "a dict": "config = {'rate': 0.5}\nx = config['rate']",
    "a dict in a dict": "config = {'train': {'rate': 0.5}}\nx = config['train']['rate']",
    "dict()": "config = dict(rate=0.5)\nx = config['rate']",
    "a dataclass": "from dataclasses import dataclass\n@dataclass\nclass Config:\n    rate: float = 0.5\nx = Config().rate",
    "a dataclass that is passed": "from dataclasses import dataclass\n@dataclass\nclass Config:\n    rate: float = 0.5\n"
    "def f(config):\n    return config.rate\nx = f(Config())",
    "a class": "class Config:\n    rate = 0.5\nx = Config.rate",
    "a namespace": "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--rate', type=float, default=0.5)\n"
    "args = parser.parse_args()\nx = args.rate",
    "a namespace that is passed": "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--rate', default=0.5)\n"
    "def f(args):\n    return args.rate\nx = f(parser.parse_args())",
}  # fmt: skip


@pytest.mark.parametrize("code", CONFIGS.values(), ids=CONFIGS)
def test_a_setting_is_among_what_it_may_be(program: Program, code: str) -> None:
    project = program(f"{code}\nuse(x)  # here\n")

    assert 0.5 in project.literals("x", mark="here")


def test_a_dataclass_of_another_file_is_read(project_of: ProjectOf) -> None:
    project = project_of({
        "config.py": "from dataclasses import dataclass\n@dataclass\nclass Config:\n    rate: float = 0.5\n",
        "main.py": "from config import Config\ndef f(config: Config):\n    use(config.rate)\n",
    })  # fmt: skip

    assert 0.5 in project.literals("config.rate")


def test_each_file_gives_the_same_answers_in_any_order(project_of: ProjectOf) -> None:
    files = {
        "a.py": "import b\ndef f(n):\n    return b.g(n) if n else 1\ndef use_it():\n    use(f(k))\n",
        "b.py": "import a\ndef g(n):\n    return a.f(n) if n else 2.5\ndef use_it():\n    use(g(k))\n",
    }
    forwards, backwards = project_of(files), project_of(files)

    first = [forwards.literals("f(k)", "a.py"), forwards.literals("g(k)", "b.py")]
    second = [backwards.literals("g(k)", "b.py"), backwards.literals("f(k)", "a.py")]

    assert first == second[::-1]
    assert {1, 2.5} <= set(first[0])


def test_a_long_chain_of_calls_ends(program: Program) -> None:
    functions = [f"def f{n}(x):\n    return f{n + 1}(x)\n" for n in range(300)]
    project = program("".join(functions) + "def f300(x):\n    return x\nuse(f0(1))\n")

    assert project.literals("f0(1)") in ([1], ["Unknown"], [])


def test_many_possibilities_end_in_unknown(program: Program) -> None:
    arms = "".join(f"elif n == {n}:\n    x = {n}\n" for n in range(40))
    project = program(f"if n:\n    x = -1\n{arms}use(x)  # here\n")

    assert "Unknown" in project.literals("x", mark="here")
