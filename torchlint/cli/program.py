"""How the words of a command line are interpreted, before options are."""

from __future__ import annotations

import click

CHECK, _VERIFY = "check", "verify"
_ALSO_CALLED = {"rule": "explain"}  # the name in other linters
COLORS = ("auto", "always", "never")
_COLOR = "--color"
# The value of an option without one; a given value follows a `=`, as the next word is a path.
_WITH_VALUE = {"--add-ignore": "--add-ignore=", _COLOR: f"{_COLOR}=always", "--no-color": f"{_COLOR}=never"}


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
        from torchlint.cli.help_text import sections

        for title, options in sections(self, ctx):
            with formatter.section(click.style(title, bold=True)):
                formatter.write_dl(options, col_max=34)
        if ctx.parent and isinstance(ctx.parent.command, click.Group):
            ctx.parent.command.format_commands(ctx.parent, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what follows the options."""
        from torchlint.cli.help_text import epilog

        self.epilog = epilog()
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
