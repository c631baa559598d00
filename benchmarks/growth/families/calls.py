"""Functions that call each other."""

from __future__ import annotations

from math import isqrt

from benchmarks.growth.family import DEEPEST, Files, family
from benchmarks.growth.program import each, program, trainer

_ASKED = "import os\n"
_START = "f0('cuda' if torch.cuda.is_available() else 'cpu')"


def _all_to_all(n: int, template: str, opened: str, closed: str = "") -> list[str]:
    """Return functions each of which says something of all others: as many as there are lines of it, nearly."""
    count = max(2, isqrt(n))
    others = {i: [template.format(j=j) for j in range(count) if j != i] for i in range(count)}
    return [line for i in range(count) for line in (opened.format(i=i), *others[i], closed) if line]


@family()
def kwargs_ring(n: int) -> Files:
    """Functions in a ring that hand their `**kwargs` to the next three."""
    calls = """
        def f$i(**kwargs):
            train(**kwargs)
            f$j(**kwargs)
            f$k(**kwargs)
    """
    return program(trainer(parameters="d='cuda'"), each(n, calls, ring=True), "f0()")


@family()
def kwargs_to_the_next_four(n: int) -> Files:
    """Functions that each hand their `**more`, and a device out of it, to the next four."""
    heads = each(n, "def f$i(x, d='cpu', **more):\n    x = x.to(d)")
    calls = ["\n".join(f"    x = f{min(i + k, n)}(x.to(d), d=d, **more)" for k in range(1, 5)) for i in range(n)]
    parts = [line for pair in zip(heads, calls, strict=True) for line in (*pair, "    return x")]
    return program(trainer(), parts, f"def f{n}(x, **more):\n    return x.to(more['d'])", "f0(torch.ones(4), d='cuda')")


@family()
def kwargs_mutual(n: int) -> Files:
    """Functions that each hand their `**kwargs` to all others."""
    parts = _all_to_all(n, "    f{j}(**kwargs)", "def f{i}(**kwargs):\n    train(**kwargs)")
    return program(trainer(parameters="d='cuda'"), parts, "f0()")


@family()
def positional_ring(n: int) -> Files:
    """Functions in a ring that hand a device to the next two."""
    return program(
        trainer(),
        each(
            n,
            """
        def f$i(d):
            train(d)
            f$j(d)
            f$k(d)
    """,
            ring=True,
        ),
        _START,
    )


@family()
def positional_mutual(n: int) -> Files:
    """Functions that each hand a device to all others."""
    return program(trainer(), _all_to_all(n, "    f{j}(d)", "def f{i}(d):\n    train(d)"), _START)


@family()
def mutual_returns(n: int) -> Files:
    """Functions that each return what any other does."""
    parts = _all_to_all(n, "    if a == {j}: return f{j}(a)", "def f{i}(a):", "    return 'cuda'")
    return program(trainer(), parts, "train(f0(1))")


@family()
def return_ring(n: int) -> Files:
    """Functions in a ring that return what the next two do."""
    calls = """
        def f$i(a):
            if a == $i: return f$j(a)
            if a < $k: return f$k(a)
            return 'cuda'
    """
    return program(trainer(), each(n, calls, ring=True), "train(f0(1))")


@family()
def call_chain(n: int) -> Files:
    """A function calls the next, n deep, with one caller each."""
    return program(each(n, "def f$i(d):\n    return f$j(d)"), trainer(f"f{n}"), _START)


@family()
def two_callers(n: int) -> Files:
    """A function calls the next twice, n deep: there are 2^n ways down."""
    return program(
        each(
            n,
            """
        def f$i(d):
            f$j(d)
            f$j('cuda')
    """,
        ),
        trainer(f"f{n}"),
        _START,
    )


@family()
def two_returns(n: int) -> Files:
    """A function returns what the next does, asked twice, n deep."""
    calls = "def f$i(a):\n    return f$j(a) if a else f$j(not a)"
    return program(trainer(), each(n, calls), f"def f{n}(a):\n    return 'cuda'", "train(f0(1))")


@family()
def diamond_calls(n: int) -> Files:
    """Layers of two functions that each call both of the next layer."""
    calls = """
        def f$i(d):
            f$j(d)
            g$j(d)
        def g$i(d):
            f$j(d)
            g$j(d)
    """
    return program(each(n, calls), trainer(f"f{n}"), trainer(f"g{n}"), _START)


@family()
def fan_in(n: int) -> Files:
    """Functions that all call one."""
    return program(
        trainer(),
        each(
            n,
            """
        def f$i():
            train('cuda:$i')
        f$i()
    """,
        ),
    )


@family()
def fan_in_of_models(n: int) -> Files:
    """Functions that all hand a model of their own to one."""
    calls = """
        def f$i():
            net = nn.Linear($j, 1)
            train('cuda', net)
        f$i()
    """
    return program(trainer(parameters="d, net", model="net"), each(n, calls))


@family()
def fan_out(n: int) -> Files:
    """One function that calls n others."""
    functions = each(n, "def f$i(d):\n    return torch.zeros(1, device=d).item()")
    return program(functions, "def main(d):", each(n, "    print(f$i(d))"), "main('cuda')")


@family()
def bipartite(n: int) -> Files:
    """Functions that each call every one of as many others."""
    count = max(2, isqrt(n))
    calls = "\n".join(f"    g{j}(d)" for j in range(count))
    called = each(
        count,
        """
        def g$i(d):
            train(d)
            return d
    """,
    )
    return program(trainer(), called, each(count, f"def f$i(d):\n{calls}\nf$i('cuda:$i')"))


@family()
def recursion_with_branches(n: int) -> Files:
    """A function that calls itself in n branches."""
    branches = each(n, "    if depth == $i:\n        return build(depth + $j, d)")
    return program(trainer(), "def build(depth, d):", branches, "    train(d)\n    return d", "train(build(0, 'cuda'))")


@family()
def even_and_odd(n: int) -> Files:
    """Pairs of functions that call each other, and the pair below."""
    calls = "def f$i(k, d):\n    return g$i(k - 1, d) if k else f$j(k, d)\n"
    calls += "def g$i(k, d):\n    return f$i(k - 1, d) if k else g$j(k, d)"
    ends = [f"def {name}{n}(k, d):\n    train(d)\n    return d" for name in "fg"]
    return program(trainer(), each(n, calls), ends, "f0(9, 'cuda')")


@family(most=DEEPEST)
def nested_calls(n: int) -> Files:
    """A call as the argument of a call, n deep."""
    return program(trainer(), "def same(d):\n    return d", f"train({'same(' * n}'cuda'{')' * n})")


@family()
def sequential_calls(n: int) -> Files:
    """The result of each call is the argument of the next."""
    return program(trainer(), "def same(d):\n    return d", "d = 'cuda'", each(n, "d = same(d)"), "train(d)")


@family()
def tuples_returned(n: int) -> Files:
    """Functions that hand on two things in a tuple, n deep, and swap them."""
    calls = """
        def f$i():
            d, net = f$j()
            return d, net
    """
    last = f"def f{n}():\n    return 'cuda', nn.Linear(4, 1)"
    return program(trainer(parameters="d, net", model="net"), each(n, calls), last, "train(*f0())")


@family()
def method_chain(n: int) -> Files:
    """Methods called on what methods return, n times in one line."""
    return program(f"x = torch.ones(4, device='cuda'){'.add(1).to(x.device)' * n}", trainer(), "train(x.device)")


@family()
def method_steps(n: int) -> Files:
    """Methods called on what methods return, line by line."""
    return program(
        "x = torch.ones(4, device='cuda')",
        each(n, "x$i = x.mul($j).to('cuda')\nx = x$i.relu()"),
        trainer(),
        "train(x.device)",
        "print(x.item())",
    )
