"""How the words of a command line are interpreted, before options are, and what its help shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from torchlint.formats import FORMATS

CHECK, _VERIFY = "check", "verify"
_ALSO_CALLED = {"rule": "explain"}  # the name in other linters
COLORS = ("auto", "always", "never")
_COLOR = "--color"
# The value of an option without one; a given value follows a `=`, as the next word is a path.
_WITH_VALUE = {"--add-ignore": "--add-ignore=", _COLOR: f"{_COLOR}=always", "--no-color": f"{_COLOR}=never"}
_EPILOG = """\
A first argument with the name of a command is that command: use `./rules` for a folder named `rules`.

\b
NAMES: rules and groups, separated by commas, as `torchlint rules` lists them; or `all`.
FORMATS
Exit codes: 0 nothing found or left, 1 findings or a diff, 2 something could not be done, 130 interrupted.
Completion: eval "$(_TORCHLINT_COMPLETE=bash_source torchlint)", or zsh_source, or fish_source.
"""

# By section, the options in the order in which they are shown.
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Rules": ("--select", "--ignore", "--extend-select", "--preset", "--preview", "--min-confidence"),
    "Files": (
        "--exclude",
        "--force-exclude",
        "--respect-gitignore",
        "--extension",
        "--stdin-filename",
        "--show-files",
    ),
    "Fixes": (
        "--fix",
        "--unsafe-fixes",
        "--diff",
        "--show-fixes",
        "--fix-only",
        "--fixable",
        "--unfixable",
        "--exit-non-zero-on-fix",
    ),
    "Output": (
        "--output-format",
        "--output",
        "--statistics",
        "--max-findings",
        "--group",
        "--color",
        "--quiet",
        "--verbose",
    ),
    "Existing code": (
        "--diff-base",
        "--baseline",
        "--update-baseline",
        "--prune-baseline",
        "--error-stale-baseline",
        "--add-ignore",
        "--no-ignores",
    ),
    "Configuration": ("--config", "--isolated", "--show-settings"),
    "Run": (
        "--fail-on",
        "--exit-zero",
        "--jobs",
        "--watch",
        "--no-cache",
        "--cache-dir",
        "--timing",
        "--traceback",
        "--verify-on-gpu",
        "--version",
        "--help",
    ),
}


class Program(click.Group):
    """Lints where the first word is not a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Assign the words to the command that is named, or else to the one that lints."""
        args = _plain(args)
        args[:1] = [_ALSO_CALLED.get(word, word) for word in args[:1]]
        words = args[1:] if args[:1] == [CHECK] else args
        if words is args and args and args[0] in self.commands:
            return super().parse_args(ctx, args)
        own = words[: words.index("--")] if "--" in words else words
        return super().parse_args(ctx, [_VERIFY if "--verify-on-gpu" in own else CHECK, *words])


class Check(click.Command):
    """The command `torchlint` without a subcommand: its help is that of the program."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usage line of the program."""
        program = ctx.parent.command_path if ctx.parent else ctx.command_path
        formatter.write_usage(program, "[OPTIONS] [PATHS]...")
        formatter.write_usage(program, "COMMAND [ARGUMENTS]...", prefix=" " * len("Usage: "))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by section, and then the other commands."""
        for title, options in sections(self, ctx):
            with formatter.section(click.style(title, bold=True)):
                formatter.write_dl(options, col_max=34)
        if ctx.parent and isinstance(ctx.parent.command, click.Group):
            ctx.parent.command.format_commands(ctx.parent, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what follows the options."""
        self.epilog = _epilog()
        super().format_epilog(ctx, formatter)


def _plain(args: list[str]) -> list[str]:
    """Return the words with every value in the word of its option, if the value is optional."""
    own = args[: args.index("--")] if "--" in args else args
    plain: list[str] = []
    for before, word in zip(["", *own], own, strict=False):
        # A path has hardly such a name, and other tools take the word for the value, too.
        if before == _COLOR and word in COLORS:
            plain[-1] = f"{_COLOR}={word}"
        else:
            plain.append(_WITH_VALUE.get(word, word))
    return plain + args[len(own) :]


def _epilog() -> str:
    """Return what follows the options: what the words for their values stand for, exit codes and completion."""
    from textwrap import fill

    formats = fill(", ".join(FORMATS), 90, initial_indent="FORMAT: ", subsequent_indent=" " * 8)
    return _EPILOG.replace("FORMATS", formats)


def sections(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the sections of a command's help, each with the names and the help of its options."""
    params = command.get_params(ctx)
    options = {one.opts[-1]: one.get_help_record(ctx) or ("", "") for one in params if isinstance(one, click.Option)}
    for title, names in SECTIONS.items():
        yield title, [options[name] for name in names]
