"""Tests, and what comes of them: one after the other, in each other, and in one expression."""

from __future__ import annotations

from benchmarks.growth.family import DEEPEST, Files, family
from benchmarks.growth.program import each, indented, nested, program, trainer, training

_HEAD = "import argparse\n\nargs = argparse.ArgumentParser().parse_args()\n"


@family()
def ifs_in_a_row(n: int) -> Files:
    """Ifs that each bind one name, or leave it."""
    return program(
        _HEAD,
        "d = 'cpu'",
        each(
            n,
            """
            if args.a$i:
                d = 'cuda:$i'
            else:
                d = d
        """,
        ),
        trainer(),
        "train(d)",
    )


@family()
def ifs_without_else(n: int) -> Files:
    """Ifs that each bind one name."""
    return program(_HEAD, "d = 'cpu'", each(n, "if args.a$i:\n    d = 'cuda:$i'"), trainer(), "train(d)")


@family()
def ifs_with_training(n: int) -> Files:
    """Ifs in a row, with a tensor moved and read in each."""
    steps = """
        if args.a$i:
            x = x.to('cuda')
            print(x.item())
    """
    return program(_HEAD, "x = torch.ones(1)", each(n, steps), trainer(), "train(x.device)")


@family()
def ifs_of_one_flag(n: int) -> Files:
    """Ifs in a row that ask the same."""
    return program(
        "cuda = torch.cuda.is_available()\nd = 'cpu'", each(n, "if cuda:\n    d = 'cuda:$i'"), trainer(), "train(d)"
    )


@family()
def elif_chain(n: int) -> Files:
    """One long chain of elifs that bind one name."""
    return program(
        _HEAD,
        "if args.a == -1:\n    d = 'cpu'",
        each(n, "elif args.a == $i:\n    d = 'cuda:$i'"),
        trainer(),
        "train(d)",
    )


@family()
def elif_chain_of_models(n: int) -> Files:
    """One long chain of elifs that make and move a model."""
    arms = "elif args.a == $i:\n    net = nn.Linear(4, $j).cuda()"
    return program(
        _HEAD, "if args.a == -1:\n    net = nn.Linear(4, 4)", each(n, arms), trainer(model="net"), "train('cuda')"
    )


@family()
def early_returns(n: int) -> Files:
    """A function with n early returns."""
    return program(
        trainer(),
        "def pick(a):",
        each(n, "    if a == $i:\n        return 'cuda:$i'"),
        "    return 'cpu'",
        "train(pick(1))",
    )


@family()
def guards(n: int) -> Files:
    """Functions that are each guarded, and called."""
    functions = """
        def f$i():
            if torch.cuda.is_available():
                return torch.ones(1).cuda()
            return torch.ones(1)
        f$i().item()
    """
    return program(each(n, functions), trainer(), "train('cuda')")


@family()
def guards_in_a_row(n: int) -> Files:
    """Guards one below the other in one function, each with a call that needs CUDA."""
    tests = "    if not torch.cuda.is_available() and a > $i:\n        raise RuntimeError\n    torch.ones(1).cuda()"
    return program("def run(a):", each(n, tests), trainer(), "run(1)\ntrain('cuda')")


@family()
def asserts(n: int) -> Files:
    """Asserts one below the other, before what needs CUDA."""
    return program(
        "def run(a, d):",
        each(n, "    assert a != $i or torch.cuda.device_count() > $i"),
        indented(training()),
        "run(1, 'cuda')",
    )


@family(most=DEEPEST)
def nested_ifs(n: int) -> Files:
    """Ifs within ifs."""
    return program(_HEAD, "d = 'cuda'", nested(n, "if args.a$i:", training()))


@family(most=DEEPEST)
def nested_if_else(n: int) -> Files:
    """Ifs within else."""
    arms = "\n".join(" " * i + line for i in range(n) for line in (f"if args.a{i}:", f" d = 'cuda:{i}'", "else:"))
    return program(_HEAD, arms, " " * n + "d = 'cpu'", trainer(), "train(d)")


@family(most=DEEPEST)
def nested_ternaries(n: int) -> Files:
    """Conditional expressions within conditional expressions."""
    tests = "".join(each(n, "'cuda:$i' if args.a$i else ("))
    return program(_HEAD, f"d = {tests}'cpu'{')' * n}", trainer(), "train(d)")


@family()
def ternaries(n: int) -> Files:
    """Conditional expressions in a row, each of the one before."""
    return program(_HEAD, "d0 = 'cpu'", each(n, "d$j = 'cuda' if args.a$i else d$i"), trainer(), f"train(d{n})")


@family()
def ternaries_of_two(n: int) -> Files:
    """Conditional expressions in a row, each of the two before."""
    return program(
        _HEAD, "d0 = 'cpu'\nd1 = 'cuda'", each(n, "d$k = d$i if args.a$i else d$j"), trainer(), f"train(d{n})"
    )


@family()
def long_or(n: int) -> Files:
    """A disjunction of n terms."""
    return program(_HEAD, f"d = {' or '.join(each(n, 'args.d$i'))} or 'cuda'", trainer(), "train(d)")


@family()
def long_and(n: int) -> Files:
    """A conjunction of n terms as the test of what trains."""
    return program(
        _HEAD, f"if {' and '.join(each(n, 'args.d$i'))} and torch.cuda.is_available():", indented(training("'cuda'"))
    )


@family(most=DEEPEST)
def nested_boolean(n: int) -> Files:
    """`and` within `or` within `and`."""
    terms = "".join(f"(args.a{i} {'and' if i % 2 else 'or'} " for i in range(n))
    return program(_HEAD, f"if {terms}torch.cuda.is_available(){')' * n}:", indented(training("'cuda'")))


@family()
def flags_of_flags(n: int) -> Files:
    """Flags that each hold where one of the two before does, and a test of the last."""
    flags = each(n, "c$k = c$j and (c$i or args.a$i)")
    return program(_HEAD, "c0 = c1 = torch.cuda.is_available()", flags, f"if c{n}:", indented(training("'cuda'")))


@family()
def compared(n: int) -> Files:
    """A chain of comparisons, and strings compared n times."""
    return program(
        _HEAD,
        "d = 'cuda'",
        each(n, "if d == 'cuda:$i' and args.a < $i < args.b:\n    d = 'cpu'"),
        trainer(),
        "train(d)",
    )


@family()
def match_cases(n: int) -> Files:
    """One match of n cases."""
    return program(
        _HEAD,
        "match args.a:",
        each(n, "    case $i:\n        d = 'cuda:$i'"),
        "    case _:\n        d = 'cpu'",
        trainer(),
        "train(d)",
    )


@family()
def matches_in_a_row(n: int) -> Files:
    """Matches that each bind one name."""
    cases = """
        match args.a$i:
            case {'d': d}:
                pass
            case [d, *_]:
                pass
            case str():
                d = 'cuda'
    """
    return program(_HEAD, "d = 'cpu'", each(n, cases), trainer(), "train(d)")


@family(most=DEEPEST // 2)
def nested_matches(n: int) -> Files:
    """Matches within cases."""
    lines = [" " * (2 * i + by) + line for i in range(n) for by, line in enumerate((f"match args.a{i}:", f"case {i}:"))]
    return program(_HEAD, "d = 'cuda'", lines, indented(training(), 2 * n))


@family()
def tries_in_a_row(n: int) -> Files:
    """Tries that each bind one name, or another where they fail."""
    tries = """
        try:
            d = torch.device('cuda', $i)
        except RuntimeError:
            d = torch.device('cpu')
        finally:
            print(d)
    """
    return program(each(n, tries), trainer(), "train(d)")


@family(most=DEEPEST)
def nested_tries(n: int) -> Files:
    """Tries within tries."""
    closed = [" " * i + line for i in reversed(range(n)) for line in ("except RuntimeError:", f" d = 'cuda:{i}'")]
    return program("d = 'cpu'", nested(n, "try:", training()), closed, trainer(), "train(d)")


@family(most=DEEPEST)
def nested_handlers(n: int) -> Files:
    """Tries within handlers."""
    lines = [
        " " * i + line for i in range(n) for line in ("try:", f" d = torch.device('cuda', {i})", "except RuntimeError:")
    ]
    return program(lines, " " * n + "d = torch.device('cpu')", trainer(), "train(d)")


@family()
def handlers(n: int) -> Files:
    """One try with n handlers."""
    handled = each(n, "except E$i:\n    d = torch.device('cuda', $i)")
    return program(
        each(n, "class E$i(Exception):\n    pass"), "try:\n    d = torch.device('cuda')", handled, trainer(), "train(d)"
    )


@family()
def withs_in_a_row(n: int) -> Files:
    """With statements one below the other, around what is recorded and what is not."""
    steps = """
        with torch.no_grad():
            x = model(x)
            print(x.item())
    """
    return program(
        "model = nn.Linear(1, 1).cuda()\nx = torch.ones(1).cuda()", each(n, steps), trainer(), "train(x.device)"
    )


@family(most=DEEPEST)
def nested_withs(n: int) -> Files:
    """With statements within with statements."""
    return program("d = 'cuda'", nested(n, "with torch.cuda.stream(torch.cuda.Stream()) as s$i:", training()))


@family()
def elifs_that_move(n: int) -> Files:
    """An `elif` chain whose arms each move a tensor, past a test of the machine."""
    arms = each(n, "elif d == 'cuda:$i':\n    x = torch.zeros(4).cuda()")
    head = "d = 'cuda'\nif not torch.cuda.is_available():\n    x = torch.zeros(4)"
    return program(head, arms, trainer(), "train(x.device)")


@family()
def elifs_that_return(n: int) -> Files:
    """An `elif` chain whose arms each move a tensor and return it."""
    arms = each(n, "    elif k == $i:\n        return x.cuda()")
    head = "def pick(k, x):\n    if k < 0:\n        return x"
    return program(head, arms, "    return x", trainer(loss="model(pick(3, batch)).sum()"), "train('cuda')")


@family()
def elifs_that_move_what_is_passed(n: int) -> Files:
    """An `elif` chain whose arms each move a parameter and read it."""
    arms = each(n, "    elif k == $i:\n        x = x.to('cuda:$i')\n        print(x.item())")
    head = "def pick(k, x):\n    if k < 0:\n        return x"
    return program(head, arms, "    return x", trainer(loss="model(pick(3, batch)).sum()"), "train('cuda')")


@family()
def exceptions(n: int) -> Files:
    """Exceptions that are caught, with a tensor moved in each clause and not kept."""
    clauses = each(n, "except E$i:\n    x.cuda()")
    return program("x = torch.ones(1)\ntry:\n    x.cuda()", clauses, trainer(), "train('cuda')")
