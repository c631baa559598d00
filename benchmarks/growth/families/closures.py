"""Functions within functions, decorators, generators, coroutines and contexts."""

from __future__ import annotations

from benchmarks.growth.family import DEEPEST, Files, family
from benchmarks.growth.program import each, indented, listed, nested, program, trainer, training

_PLAIN = "def plain(function):\n    return function"
_WRAPPING = """\
from functools import wraps
def wrapping(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner"""


@family(most=DEEPEST)
def nested_functions(n: int) -> Files:
    """Functions within functions, that each call the one within."""
    calls = [" " * i + f"f{i}(d)" for i in reversed(range(n))]
    return program("d = 'cuda'", nested(n, "def f$i(d):", training()), calls)


@family(most=DEEPEST)
def nested_closures(n: int) -> Files:
    """Functions within functions that bind what the innermost reads."""
    opened = [
        " " * i + line for i in range(n) for line in (f"def f{i}():", f" d{i} = {f'd{i - 1}' if i else repr('cuda')}")
    ]
    closed = [" " * i + f"return f{i}()" for i in reversed(range(1, n))]
    return program(opened, indented(training(f"d{n - 1}"), n), closed, "f0()")


@family()
def closures_returned(n: int) -> Files:
    """Functions that each return one which calls the next."""
    makers = """
        def make$i(d):
            def run():
                return make$j(d)()
            return run
    """
    return program(each(n, makers), trainer(f"make{n}"), "make0('cuda')()")


@family()
def closures_of_one_name(n: int) -> Files:
    """Functions within one function that all read and bind one of its names."""
    inner = "    def f$i():\n        nonlocal d\n        d = 'cuda:$i' if d else d\n    f$i()"
    return program("def run(d):", each(n, inner), indented(training()), "run('cpu')")


@family()
def decorators_on_one(n: int) -> Files:
    """One function under n decorators."""
    return program(_PLAIN, each(n, "@plain"), trainer(), "train('cuda')")


@family()
def wrapping_decorators_on_one(n: int) -> Files:
    """One function under n decorators that wrap it."""
    return program(_WRAPPING, each(n, "@wrapping"), trainer(), "train('cuda')")


@family()
def different_decorators(n: int) -> Files:
    """One function under n decorators of its own, each of which wraps what it is given."""
    made = """
        def w$i(function):
            def inner(*args):
                return function(*args)
            return inner
    """
    return program(each(n, made), each(n, "@w$i"), trainer(), "train('cuda')")


@family()
def decorated_functions(n: int) -> Files:
    """Functions under one decorator, that each call the next."""
    return program(
        _WRAPPING,
        each(
            n,
            """
        @wrapping
        def f$i(d):
            return f$j(d)
    """,
        ),
        trainer(f"f{n}"),
        "f0('cuda')",
    )


@family()
def no_grad_functions(n: int) -> Files:
    """Functions under `no_grad`, that each call the next."""
    calls = """
        @torch.no_grad()
        def f$i(net, x):
            print(net(x).sum().item())
            return f$j(net, x)
    """
    return program(
        each(n, calls), f"def f{n}(net, x):\n    return net(x)", trainer(loss="f0(model, batch)"), "train('cuda')"
    )


@family()
def decorator_factories(n: int) -> Files:
    """Decorators made by functions with arguments, on a function each."""
    factory = """
        def named(d):
            def take(function):
                def inner(*args):
                    return function(d, *args)
                return inner
            return take
    """
    return program(
        factory,
        trainer(),
        each(
            n,
            """
        @named('cuda:$i')
        def f$i(d):
            train(d)
        f$i()
    """,
        ),
    )


@family()
def generators(n: int) -> Files:
    """Generators that each go through the next."""
    calls = """
        def f$i():
            for d in f$j():
                yield d
    """
    return program(trainer(), each(n, calls), f"def f{n}():\n    yield 'cuda'", "for d in f0():\n    train(d)")


@family()
def yields_from(n: int) -> Files:
    """Generators that each yield from the next two."""
    calls = """
        def f$i():
            yield from f$j()
            yield from f$k()
    """
    ends = [f"def f{n + i}():\n    yield 'cuda'" for i in range(2)]
    return program(trainer(), each(n, calls), ends, "for d in f0():\n    train(d)")


@family()
def generator_of_many(n: int) -> Files:
    """A generator that yields n tensors, one a line."""
    return program(
        "def batches():",
        each(n, "    yield torch.ones($j, device='cuda')"),
        "for x in batches():\n    print(x.sum().item())",
        trainer(),
        "train('cuda')",
    )


@family()
def coroutines(n: int) -> Files:
    """Coroutines that each await the next."""
    calls = "async def f$i(d):\n    return await f$j(d)"
    last = f"async def f{n}(d):\n    train(d)\n    return d"
    return program("import asyncio", trainer(), each(n, calls), last, "asyncio.run(f0('cuda'))")


@family()
def coroutines_gathered(n: int) -> Files:
    """Coroutines that are awaited one by one, and together."""
    functions = each(
        n,
        """
        async def f$i(d):
            print(torch.ones(1, device=d).item())
            return d
    """,
    )
    awaits = each(n, "    d = await f$i(d)")
    return program(
        "import asyncio",
        functions,
        "async def main(d):",
        awaits,
        "    await asyncio.gather(" + listed(n, "f$i(d)") + ")",
        "    return d",
        trainer(),
        "train(asyncio.run(main('cuda')))",
    )


@family()
def context_managers(n: int) -> Files:
    """Context managers of generators that each enter the next."""
    managers = """
        @contextmanager
        def f$i():
            with f$j() as d:
                yield d
    """
    last = f"@contextmanager\ndef f{n}():\n    yield 'cuda'"
    return program(
        "from contextlib import contextmanager", each(n, managers), last, "with f0() as d:", indented(training())
    )


@family()
def no_grad_regions(n: int) -> Files:
    """Functions that switch recording off and on, and call the next."""
    calls = """
        def f$i(net, x):
            with torch.set_grad_enabled(x.sum() > $i):
                return f$j(net, x)
    """
    return program(
        each(n, calls), f"def f{n}(net, x):\n    return net(x).sum()", trainer(loss="f0(model, batch)"), "train('cuda')"
    )
