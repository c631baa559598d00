"""What the command line, the environment and the configuration say."""

from __future__ import annotations

from benchmarks.growth.family import Files, family
from benchmarks.growth.program import each, program, trainer

_PARSER = "import argparse\nparser = argparse.ArgumentParser()"


@family()
def arguments(n: int) -> Files:
    """A parser of n options, each of which is read."""
    added = each(n, "parser.add_argument('--d$i', default='cuda:$i')")
    return program(
        _PARSER,
        added,
        "args = parser.parse_args()",
        each(n, "torch.zeros(1, device=args.d$i)"),
        trainer(),
        "train(args.d0)",
    )


@family()
def flags(n: int) -> Files:
    """A parser of n flags, each of which is tested."""
    added = each(n, "parser.add_argument('--no-cuda$i', action='store_true')")
    tests = each(n, "if not args.no_cuda$i and torch.cuda.is_available():\n    torch.zeros(1).cuda()")
    return program(_PARSER, added, "args = parser.parse_args()", tests, trainer(), "train('cuda')")


@family()
def options_set_later(n: int) -> Files:
    """Options that are each set from the one before, once they are parsed."""
    return program(
        _PARSER,
        "parser.add_argument('--d0', default='cuda')\nargs = parser.parse_args()",
        each(n, "args.d$j = args.d$i"),
        trainer(),
        f"train(args.d{n})",
    )


@family()
def one_option_set_often(n: int) -> Files:
    """One option that is set again and again."""
    return program(
        _PARSER,
        "parser.add_argument('--device', default='cuda')\nargs = parser.parse_args()",
        each(n, "if args.a == $i:\n    args.device = 'cuda:$i'"),
        trainer(),
        "train(args.device)",
    )


@family()
def options_handed_down(n: int) -> Files:
    """Functions that hand the options on, n deep, and each read one."""
    calls = """
        def f$i(args):
            torch.zeros(1, device=args.d$i)
            return f$j(args)
    """
    added = each(n, "parser.add_argument('--d$i', default='cuda:$i')")
    return program(
        each(n, calls), trainer(f"f{n}", "args", device="args.d0"), _PARSER, added, "f0(parser.parse_args())"
    )


@family()
def parsers_by_functions(n: int) -> Files:
    """Functions that each add an option to the parser, and hand it on."""
    calls = """
        def f$i(parser):
            parser.add_argument('--d$i', default='cuda:$i')
            return f$j(parser)
    """
    return program(
        _PARSER,
        each(n, calls),
        f"def f{n}(parser):\n    return parser",
        "args = f0(parser).parse_args()",
        trainer(),
        "train(args.d0)",
    )


@family()
def environment(n: int) -> Files:
    """Variables of the environment with defaults that are one another."""
    return program("import os\nd0 = 'cuda'", each(n, "d$j = os.environ.get('D$i', d$i)"), trainer(), f"train(d{n})")


@family()
def tests_of_options(n: int) -> Files:
    """Tests of options that each decide whether a part of a program runs."""
    tests = """
        def f$i(args):
            if args.a$i and not args.b$i:
                return torch.ones(1).cuda().item()
            return 0
        f$i(args)
    """
    added = each(n, "parser.add_argument('--a$i', action='store_true')")
    return program(_PARSER, added, "args = parser.parse_args()", each(n, tests), trainer(), "train('cuda')")
