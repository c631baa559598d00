"""What expressions may be, through functions, objects and containers."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import HOST, Device, Tensor

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]
HEAD = "import torch\nimport numpy as np\nfrom torch import nn\nmodel = nn.Linear(2, 2)\n"

# Each program asks `use(x)`; the kinds of what `x` may be, sorted.
KINDS = {
    "a factory": ("x = torch.zeros(2)", ["Tensor"]),
    "arithmetic of a tensor": ("x = 1 + torch.zeros(2) / 2", ["Tensor"]),
    "a comparison of a tensor": ("x = torch.zeros(2) > 1", ["Tensor"]),
    "a tensor compared with a tensor": ("x = torch.zeros(2) == torch.ones(2)", ["Tensor"]),
    "a tensor compared with a number": ("x = torch.zeros(2) == 0", ["Tensor"]),
    "a tensor compared with nothing": ("x = torch.zeros(2) == None", ["Literal"]),
    "nothing compared with a tensor": ("x = None != torch.zeros(2)", ["Number"]),
    "a tensor compared with a text": ("x = torch.zeros(2) != 'mean'", ["Literal"]),
    "an array compared with nothing": ("x = np.zeros(2) == None", ["Array"]),
    "something compared with nothing": ("x = what == None", ["Unknown"]),
    "where a tensor is nothing": ("""
        x = torch.zeros(2)
        if x == None:
            x = 1.5
        """, ["Tensor"]),
    "a variable": ("from torch.autograd.variable import Variable\nx = Variable(torch.zeros(2)).float()", ["Tensor"]),
    "a method of a tensor": ("x = torch.zeros(2).sum()", ["Tensor"]),
    "a function of torch": ("x = torch.nn.functional.relu(torch.zeros(2))", ["Tensor"]),
    "what is moved, of somebody's making": ("x = batch_of(config).to('cuda')", ["Tensor"]),
    "what is moved, a model by its maker's name": ("x = build_model(config).to('cuda')", ["Unknown"]),
    "what comes from far away": ("""
        def first(n): return torch.zeros(n)
        def second(n): return first(n)
        def third(n): return second(n)
        def fourth(n): return third(n)
        x = fourth(2)
        """, ["Tensor"]),
    "what comes from far away and goes round": ("""
        def first(n): return torch.zeros(n) if n < 1 else fourth(n - 1)
        def second(n): return first(n)
        def third(n): return second(n)
        def fourth(n): return third(n)
        x = fourth(2)
        """, ["Tensor", "Unknown"]),
    "the call of a layer": ("x = model(torch.zeros(2))", ["Tensor"]),
    "a loss": ("x = nn.MSELoss()(model(1), 2)", ["Tensor"]),
    "an attribute of a tensor": ("x = torch.zeros(2).data", ["Tensor"]),
    "a shape": ("x = torch.zeros(2).shape[0]", ["Number"]),
    "a size": ("x = torch.zeros(2).size(0)", ["Number"]),
    "an item": ("x = torch.zeros(2).item()", ["Number"]),
    "an item of a sum that began as 0": ("y = 0\nfor z in what:\n    y += torch.zeros(2)\nx = (y / 2).item()", ["Number"]),
    "another method of such a sum": ("y = 0\nfor z in what:\n    y += 1.5\nx = y.detach()", ["Unknown"]),
    "an array": ("x = np.zeros(2)", ["Array"]),
    "an array of a tensor": ("x = torch.zeros(2).numpy()", ["Array"]),
    "arithmetic of an array": ("x = np.zeros(2) * 2", ["Array"]),
    "a batch": ("for x in torch.utils.data.DataLoader([]):\n    pass", ["Tensor"]),
    "an enumerated batch": ("for i, x in enumerate(torch.utils.data.DataLoader([])):\n    pass", ["Tensor"]),
    "a zipped batch": ("for a, x in zip([1], torch.utils.data.DataLoader([])):\n    pass", ["Tensor"]),
    "a key of a batch": ("for b in torch.utils.data.DataLoader([]):\n    for x in b.keys():\n        pass", ["Text"]),
    "a key beside what a batch has there": (
        "for b in torch.utils.data.DataLoader([]):\n    for x, _ in b.items():\n        pass", ["Text"]),
    "what a batch has under a key": (
        "for b in torch.utils.data.DataLoader([]):\n    for _, x in b.items():\n        pass", ["Tensor"]),
    "what texts alone can do": ("x = torch.zeros(2).startswith('a')", ["Number"]),
    "a comparison with a text": ("x = torch.zeros(2) == 'a'", ["Literal"]),
    "a comparison with some text": ("x = torch.zeros(2) == str(k)", ["Number"]),
    "a count": ("for x, _ in enumerate([1]):\n    pass", ["Number"]),
    "a returned tensor": ("def f():\n    return torch.zeros(2)\nx = f()", ["Tensor"]),
    "what an argument makes of it": ("def f(y):\n    return y * 2\nx = f(torch.zeros(2))", ["Tensor"]),
    "one of two returns": ("""
        def f(y):
            if y:
                return torch.zeros(2)
            return 1
        x = f(y)
        """, ["Literal", "Tensor"]),
    "one of a returned tuple": ("def f():\n    return 1, torch.zeros(2)\n_, x = f()", ["Tensor"]),
    "a starred rest": ("a, *rest = 1, torch.zeros(2)\nx = rest[0]", ["Literal", "Tensor"]),
    "a nested tuple": ("a, (b, x) = 1, (2, torch.zeros(2))", ["Tensor"]),
    "nothing is returned": ("def f():\n    pass\nx = f()", ["Literal"]),
    "a generator": ("""
        def f():
            yield torch.zeros(2)
        for x in f():
            pass
        """, ["Tensor"]),
    "yield from": ("""
        def f():
            yield from [torch.zeros(2)]
        for x in f():
            pass
        """, ["Tensor"]),
    "a lambda": ("f = lambda y: y + 1\nx = f(torch.zeros(2))", ["Tensor"]),
    "a partial": ("""
        from functools import partial
        def f(a, b):
            return b
        x = partial(f, 1)(torch.zeros(2))
        """, ["Tensor"]),
    "a partial by keyword": ("""
        from functools import partial
        def f(a, b):
            return b
        x = partial(f, b=torch.zeros(2))(1)
        """, ["Tensor"]),
    "a list that is spread": ("def f(a, b):\n    return b\npair = [1, torch.zeros(2)]\nx = f(*pair)", ["Tensor"]),
    "a tuple behind an argument": ("def f(a, b, c):\n    return c\nx = f(1, *('a', 1.5))", ["Literal"]),
    "more than is spread": ("def f(a, b):\n    return b\nx = f(*[1])", ["Unknown"]),
    "what is added to it": ("def f(a, b):\n    return b\nl = [1]\nl.append(torch.zeros(2))\nx = f(*l)", ["Tensor"]),
    "a default": ("def f(y=torch.zeros(2)):\n    return y\nx = f()", ["Tensor"]),
    "a keyword-only default": ("def f(*, y=1.5):\n    return y\nx = f()", ["Literal"]),
    "a method": ("""
        class A:
            def f(self):
                return torch.zeros(2)
        x = A().f()
        """, ["Tensor"]),
    "an inherited method": ("""
        class A:
            def f(self):
                return torch.zeros(2)
        class B(A):
            pass
        x = B().f()
        """, ["Tensor"]),
    "a method of super": ("""
        class A:
            def f(self):
                return torch.zeros(2)
        class B(A):
            def f(self):
                return super().f()
        x = B().f()
        """, ["Tensor"]),
    "a static method": ("""
        class A:
            @staticmethod
            def f(y):
                return y
        x = A.f(torch.zeros(2))
        """, ["Tensor"]),
    "a class method": ("""
        class A:
            @classmethod
            def f(cls, y):
                return y
        x = A.f(torch.zeros(2))
        """, ["Tensor"]),
    "a property": ("""
        class A:
            @property
            def f(self):
                return torch.zeros(2)
        x = A().f
        """, ["Tensor"]),
    "an attribute of self": ("""
        class A:
            def __init__(self):
                self.y = torch.zeros(2)
        x = A().y
        """, ["Tensor"]),
    "an attribute by an argument": ("""
        class A:
            def __init__(self, y):
                self.y = y
        x = A(torch.zeros(2)).y
        """, ["Tensor"]),
    "an attribute of another object": ("""
        class A:
            def __init__(self, y):
                self.y = y
        a = A(torch.zeros(2))
        b = A(1)
        x = b.y
        """, ["Literal"]),
    "an attribute that was just set": ("""
        class A:
            y = 1
            def f(self):
                self.y = torch.zeros(2)
                return self.y
        x = A().f()
        """, ["Tensor"]),
    "a class attribute": ("class A:\n    y = 1.5\nx = A.y", ["Literal"]),
    "a callable object": ("""
        class A:
            def __call__(self, y):
                return y
        x = A()(torch.zeros(2))
        """, ["Tensor"]),
    "a module's forward": ("""
        class Net(nn.Module):
            def forward(self, y):
                return model(y), 1
        x, _ = Net()(torch.zeros(2))
        """, ["Tensor"]),
    "an iterable object": ("""
        class A:
            def __iter__(self):
                return iter([torch.zeros(2)])
        for x in A():
            pass
        """, ["Tensor"]),
    "an item of a list": ("xs = [1, torch.zeros(2)]\nx = xs[1]", ["Tensor"]),
    "an item from the end": ("xs = [1, torch.zeros(2)]\nx = xs[-1]", ["Tensor"]),
    "an item of a dict": ("d = {'a': 1, 'b': torch.zeros(2)}\nx = d['b']", ["Tensor"]),
    "get": ("d = {'b': torch.zeros(2)}\nx = d['b']", ["Tensor"]),
    "stored into a dict": ("d = {}\nd['b'] = torch.zeros(2)\nx = d['b']", ["Tensor"]),
    "appended to a list": ("""
        xs = []
        xs.append(torch.zeros(2))
        for x in xs:
            pass
        """, ["Tensor"]),
    "an item of what is counted": ("x = [i for i in range(n)][1]", ["Literal"]),
    "an item of what is counted from the end": ("x = [i for i in range(n)][-1]", ["Number"]),
    "an item of what is counted in part": ("x = [i for i in range(n) if i % 2][1]", ["Number"]),
    "an item of what is counted otherwise": ("x = [i for i in range(1, n)][0]", ["Literal"]),
    "an item of what is shuffled": ("ids = [i for i in range(n)]\nrandom.shuffle(ids)\nx = ids[0]", ["Number"]),
    "an item of what is counted to nothing": ("x = [i for i in range(0)][0]", []),
    "an item that was appended": ("xs = []\nxs.append(torch.zeros(2))\nx = xs[0]", ["Tensor"]),
    "a part that was appended": ("xs = []\nxs.append(1)\n(x,) = xs", ["Literal"]),
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
    "counted up": ("x = 0\nwhile y():\n    x += 1", ["Literal", "Number"]),
    "counted up in several places": ("""
        x = 0
        while y():
            if z():
                x = x + 1
            else:
                x += 2
        """, ["Literal", "Number"]),
    "grown in a loop": ("x = ''\nwhile y():\n    x = x + 'a'", ["Literal", "Text"]),
    "a global": ("""
        x = None
        def f():
            global x
            x = torch.zeros(2)
        f()
        """, ["Literal", "Tensor"]),
    "a nonlocal": ("""
        def f():
            y = None
            def g():
                nonlocal y
                y = torch.zeros(2)
            g()
            return y
        x = f()
        """, ["Literal", "Tensor"]),
    "a closure": ("""
        def f():
            y = torch.zeros(2)
            def g():
                return y
            return g()
        x = f()
        """, ["Tensor"]),
    "a closure that is handed out": ("""
        def f():
            y = torch.zeros(2)
            def g():
                return y
            return g
        x = f()()
        """, ["Tensor"]),
    "a decorated function": ("""
        @torch.no_grad()
        def f():
            return torch.zeros(2)
        x = f()
        """, ["Tensor"]),
    "after a test for None": ("""
        def f(y=None):
            if y is None:
                y = torch.zeros(2)
            return y
        x = f()
        """, ["Tensor"]),
    "where it is set in the arm": ("""
        y = None
        if y is None:
            y = torch.zeros(2)
            x = y
        """, ["Tensor"]),
    "after a test of its type": ("""
        y = [1.5, torch.zeros(2)][n]
        if not isinstance(y, torch.Tensor):
            y = torch.tensor(y)
        x = y
        """, ["Tensor"]),
    "recursion": ("def f(n):\n    return f(n - 1) if n else torch.zeros(2)\nx = f(k)", ["Tensor", "Unknown"]),
    "functions that call each other": ("""
        def f(n):
            return g(n)
        def g(n):
            return f(n) if n else 1.5
        x = f(k)
        """, ["Literal", "Unknown"]),
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
    "a dataclass": """
        from dataclasses import dataclass
        @dataclass
        class Config:
            rate: float = 0.5
        x = Config().rate
        """,
    "a dataclass that is passed": """
        from dataclasses import dataclass
        @dataclass
        class Config:
            rate: float = 0.5
        def f(config):
            return config.rate
        x = f(Config())
        """,
    "a class": """
        class Config:
            rate = 0.5
        x = Config.rate
        """,
    "a namespace": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument('--rate', type=float, default=0.5)
        args = parser.parse_args()
        x = args.rate
        """,
    "a namespace that is passed": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument('--rate', default=0.5)
        def f(args):
            return args.rate
        x = f(parser.parse_args())
        """,
}  # fmt: skip


@pytest.mark.parametrize("code", CONFIGS.values(), ids=CONFIGS)
def test_a_setting_is_among_what_it_may_be(program: Program, code: str) -> None:
    project = program(f"{dedent(code)}\nuse(x)  # here\n")

    assert 0.5 in project.literals("x", mark="here")


def test_a_dataclass_of_another_file_is_read(project_of: ProjectOf) -> None:
    project = project_of({
        "config.py": """\
            from dataclasses import dataclass
            @dataclass
            class Config:
                rate: float = 0.5
            """,
        "main.py": """\
            from config import Config
            def f(config: Config):
                use(config.rate)
            """,
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


COPIED = {
    "a tensor on the GPU": ("torch.zeros(2).cuda()", Tensor(Device("cuda"), False)),
    "a tensor on the host": ("torch.zeros(2)", Tensor(HOST, False)),
    "a list of tensors": ("[torch.zeros(2).cuda()]", Tensor(HOST, False)),
    "numbers": ("[1, 2]", Tensor(HOST, False)),
    "what nobody knows": ("something()", Tensor(HOST, False)),
}


@pytest.mark.parametrize(
    ("made", "device"),
    [
        ("torch.as_tensor(there)", Device("cuda")),
        ("torch.sparse_coo_tensor(pairs, there, (2, 2))", Device("cuda")),
        ("torch.sparse_coo_tensor(pairs, [1.0], (2, 2))", HOST),
        ("torch.sparse_coo_tensor(pairs, there, (2, 2), device='cpu')", HOST),
    ],
)
def test_what_is_made_of_a_tensor_is_where_that_is(program: Program, made: str, device: Device) -> None:
    checkout = program(
        f"import torch\nthere = torch.ones(1, device='cuda')\npairs = [[0], [1]]\nx = {made}\nx.add(1)\n"
    )

    assert [one.device for one in checkout.values(made) if isinstance(one, Tensor)] == [device]


@pytest.mark.parametrize(("given", "expected"), COPIED.values(), ids=COPIED)
def test_a_copy_of_a_tensor_stays_where_that_is(program: Program, given: str, expected: Tensor) -> None:
    project = program(f"{HEAD}from somewhere import something\nuse(torch.tensor({given}))\n")

    assert project.values(f"torch.tensor({given})") == [expected]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("torch.mean(x)", {Tensor(Device("cuda"), True), Tensor(HOST, False)}),
        ("torch.dot(x, w)", {Tensor(Device("cuda"), True)}),
    ],
)
def test_what_is_one_thing_or_another_does_not_meet_itself(program: Program, call: str, expected: set[Tensor]) -> None:
    code = """
        def score(is_trained):
            w = torch.rand(2).cuda()
            x = torch.rand(2, requires_grad=True).cuda() if is_trained else torch.zeros(2)
            use({})
        """

    project = program(HEAD + dedent(code).format(call))

    assert set(project.values(call)) == expected


def test_a_function_that_is_called_like_the_method_of_objects_is_a_function(program: Program) -> None:
    project = program("def __call__(x):\n    use(x)  # here\n__call__(3)\n")

    assert project.literals("x", mark="here") == [3]


PARTS = {
    "'a,b,c'.split(',')[1:][0]": ["b"],
    "'a,b,c'.split(',')[:-1][-1]": ["b"],
    "'a,b,c'.split(',')[::2][1]": ["c"],
    "'a,b,c'.split(',')[n:][0]": ["a", "b", "c"],
}


@pytest.mark.parametrize(("part", "expected"), PARTS.items())
def test_a_part_of_what_is_split_up_has_the_items_that_it_takes(
    program: Program, part: str, expected: list[object]
) -> None:
    assert program(f"use({part})\n").literals(part) == expected
