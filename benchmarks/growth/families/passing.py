"""What is passed to functions, and how."""

from __future__ import annotations

from benchmarks.growth.family import DEEPEST, Files, family
from benchmarks.growth.program import each, listed, program, trainer


@family()
def star_arguments(n: int) -> Files:
    """Functions that hand on `*args`, n deep."""
    return program(each(n, "def f$i(*args):\n    return f$j(*args)"), trainer(f"f{n}"), "f0('cuda')")


@family()
def star_keywords(n: int) -> Files:
    """Functions that hand on `**kwargs`, n deep."""
    return program(
        each(n, "def f$i(**kwargs):\n    return f$j(**kwargs)"), trainer(f"f{n}", "d='cuda'"), "f0(d='cuda:0')"
    )


@family()
def both_stars(n: int) -> Files:
    """Functions that hand on `*args` and `**kwargs` to the next two."""
    calls = """
        def f$i(*args, **kwargs):
            f$j(*args, **kwargs)
            f$k(*args, **kwargs)
    """
    ends = [trainer(f"f{n + i}", "d='cuda', *args, **kwargs") for i in range(2)]
    return program(each(n, calls), ends, "f0(d='cuda:0')")


@family()
def keywords_added(n: int) -> Files:
    """Functions that each add one of the keywords they hand on."""
    calls = "def f$i(a$i=None, **kwargs):\n    return f$j(b$i=a$i, **kwargs)"
    return program(each(n, calls), trainer(f"f{n}", "d='cuda', **kwargs"), "f0(d='cuda:0')")


@family()
def keywords_for_the_next_two(n: int) -> Files:
    """Functions that read a device from their `**more`, and hand that on to the next two, with tensors."""
    calls = """
        def f$i(x, **more):
            d = more['d']
            x = x.to(d)
            y = f$j(x, **more)
            z = f$k(y.to(d), **more)
            return torch.cat([y.to(d), z.to(x.device)])
    """
    ends = each(2, "def last$i(x, d='cpu', **more):\n    return x.to(d)")
    named = [f"f{n + i} = last{i}" for i in range(2)]
    return program(each(n, calls), ends, named, trainer(), "train(f0(torch.zeros(4), d='cuda').device)")


@family()
def parameters_with_defaults(n: int) -> Files:
    """A function of n parameters, called without, with names and with positions."""
    head = "def build(" + listed(n, "d$i='cuda:$i'") + "):"
    body = each(n, "    torch.zeros(1, device=d$i)")
    by_name = "build(" + listed(n, "d$i='cpu'") + ")"
    return program(trainer(), head, body, "    return d0", "train(build())", by_name)


@family()
def defaults_of_defaults(n: int) -> Files:
    """Functions whose parameter falls back on what the next returns."""
    calls = """
        def f$i(d=None):
            d = d or f$j()
            torch.zeros(1, device=d)
            return d
    """
    return program(trainer(), each(n, calls), f"def f{n}():\n    return 'cuda'", "train(f0())")


@family()
def functions_passed_down(n: int) -> Files:
    """A function is handed down n functions, and called at the end."""
    calls = "def f$i(run, d):\n    return f$j(run, d)"
    return program(trainer(), each(n, calls), f"def f{n}(run, d):\n    return run(d)", "f0(train, 'cuda')")


@family()
def functions_called_with_functions(n: int) -> Files:
    """Functions that call what they are given with the next function."""
    calls = "def f$i(run):\n    return run(f$j)"
    return program(trainer(), each(n, calls), f"def f{n}(run):\n    train('cuda')\n    return run", "f0(f0)")


@family()
def callbacks(n: int) -> Files:
    """Functions in a dict, called by what is read from it."""
    functions = each(
        n,
        """
        def f$i(d):
            train(d)
            return torch.zeros(1, device=d)
    """,
    )
    table = "TABLE = {" + listed(n, "'k$i': f$i") + "}"
    return program(trainer(), functions, table, "for name, run in TABLE.items():\n    print(run('cuda').item())")


@family()
def partials(n: int) -> Files:
    """Partials of partials."""
    head = "from functools import partial\n"
    return program(
        head,
        trainer(parameters="d, **more"),
        "p0 = partial(train, d='cuda')",
        each(n, "p$j = partial(p$i, a$i=$i)"),
        f"p{n}()",
    )


@family()
def lambdas(n: int) -> Files:
    """Lambdas that call the one before."""
    return program(trainer(), "f0 = lambda d: d", each(n, "f$j = lambda d: f$i(d)"), f"train(f{n}('cuda'))")


@family(most=DEEPEST)
def nested_lambdas(n: int) -> Files:
    """A lambda in a lambda, n deep, all called."""
    return program(trainer(), f"f = {'(lambda d: ' * n}d{')(d)' * (n - 1)})", "train(f('cuda'))")


@family()
def methods_of_one_object(n: int) -> Files:
    """Methods that call the next two of their object."""
    calls = "    def f$i(self, d):\n        self.f$j(d)\n        self.f$k(d)"
    ends = [f"    def f{n + i}(self, d):\n        train(d)" for i in range(2)]
    return program(trainer(), "class Runner:", each(n, calls), ends, "Runner().f0('cuda')")


@family()
def models_passed_down(n: int) -> Files:
    """A model is handed down n functions, moved and wrapped on its way."""
    calls = """
        def f$i(net, d):
            net = net.to(d)
            return f$j(net, d)
    """
    return program(
        each(n, calls), trainer(f"f{n}", "net, d", model="nn.DataParallel(net)"), "f0(nn.Linear(4, 1), 'cuda')"
    )


@family()
def losses_passed_down(n: int) -> Files:
    """A loss is handed down n functions that each add to it."""
    calls = "def f$i(loss):\n    return f$j(loss + $i)"
    last = f"def f{n}(loss):\n    return loss.mean()"
    return program(trainer(loss="f0(model(batch).sum())"), each(n, calls), last, "train('cuda')")


@family()
def arguments_of_one_call(n: int) -> Files:
    """A call that passes n devices."""
    return program(trainer(), "unknown(" + listed(n, "'cuda'") + ")", "train('cuda')")


@family()
def defaults_of_one_function(n: int) -> Files:
    """A function whose n parameters have a device for a default."""
    return program(trainer("train", "d"), "def f(" + listed(n, "a$i='cuda'") + "):\n    train(a0)", "f()")
