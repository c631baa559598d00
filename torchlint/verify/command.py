"""`torchlint verify`: the rules' claims, or a program of the user's."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from torchlint.errors import TorchlintError, UsageError

if TYPE_CHECKING:
    from torchlint.finding import Finding
    from torchlint.verify.running import Options
    from torchlint.verify.script import Script

Linted: TypeAlias = "Callable[[Path], Sequence[Finding]]"
_SCRIPT, _PAGE = ".py", "--html"
_SECONDS, _COUNT = click.FloatRange(min=0, min_open=True), click.IntRange(min=0)


class _RulesOrScript(click.Command):
    """Leaves the arguments after a script to the script, except for the page's file; and that too after `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = next((index for index, word in enumerate(args) if word.endswith(_SCRIPT)), len(args)) + 1
        own, rest = args[:end], args[end:]
        if rest[:1] == ["--"]:
            rest = rest[1:]
        else:
            own, rest = _page_first(own, rest)
            names = {name for option in self.params if isinstance(option, click.Option) for name in option.opts}
            if ours := [word for word in rest if word in names]:
                gets = ", ".join(f"`{word}`" for word in ours)
                click.echo(f"{args[end - 1]} gets {gets}: what is meant for torchlint stands before it", err=True)
        ctx.meta[__name__] = tuple(rest)
        return super().parse_args(ctx, own)


def _page_first(own: list[str], rest: list[str]) -> tuple[list[str], list[str]]:
    """Return our arguments and the script's; the page's file may be in either."""
    for index, word in enumerate(rest):
        if word == _PAGE:
            return [*own, *rest[index : index + 2]], [*rest[:index], *rest[index + 2 :]]
        if word.startswith(f"{_PAGE}="):
            return [*own, word], [*rest[:index], *rest[index + 1 :]]
    return own, rest


@click.command("verify", cls=_RulesOrScript, short_help="Verify the rules, or count the waits of a script.")
@click.argument("targets", metavar="[RULE]... | SCRIPT [ARGUMENT]...", nargs=-1)
@click.option("-v", "--verbose", is_flag=True, help="Show all observations.")
@click.option("--output-format", type=click.Choice(["full", "json"]), default="full", show_default=True)
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Write a dated record.")
@click.option(_PAGE, type=click.Path(path_type=Path, dir_okay=False), help="Write a page with the waits of a script.")
@click.option("--time-limit", type=_SECONDS, help="Seconds for a program. [default: 60; 600 for a script]")
@click.option("--simulate", is_flag=True, help="Simulate GPUs even if there are real ones.")
@click.option("--fork/--no-fork", default=None, help="Fork programs from one process, or start each in a new one.")
@click.option(
    "--steps", type=_COUNT, default=100, show_default=True, help="The number of optimizer steps of a script; 0 for all."
)
@click.option("--gpus", type=_COUNT, default=1, show_default=True, help="The number of GPUs to simulate for a script.")
@click.option("--verify-on-gpu", "gpu_wanted", is_flag=True, help="Warn if there is no GPU to measure on.")
@click.pass_context
def _verify(
    ctx: click.Context,
    targets: tuple[str, ...],
    verbose: bool,
    output_format: str,
    record: Path | None,
    html: Path | None,
    time_limit: float | None,
    simulate: bool,
    fork: bool | None,
    steps: int,
    gpus: int,
    gpu_wanted: bool,
) -> None:
    """Verify the rules, or measure where a script of yours waits for the GPU.

    Replays the claims of all rules, or of the RULES: the bad program must show the problem, its good twin must not.
    Given a script, RUNS IT, and reports which of its lines make the host wait for the GPU in every step.

    Uses real GPUs if there are enough of them; otherwise they are simulated, and the report says so.
    """
    from torchlint.verify.running import Options, verify_rules, verify_script

    options = Options(verbose, output_format, record, html, time_limit, simulate, fork, gpu_wanted)
    linted: Linted = ctx.obj
    try:
        is_script = bool(targets) and targets[-1].endswith(_SCRIPT)
        _check_files(options, is_script=is_script)
        if is_script:
            script = _script(targets, ctx.meta[__name__], steps, gpus, time_limit)
            ctx.exit(verify_script(script, linted(script.path), options))
        ctx.exit(verify_rules(targets, options))
    except TorchlintError as error:
        for line in error.lines:
            click.echo(f"error: {line}", err=True)
        ctx.exit(2)


def _check_files(options: Options, *, is_script: bool) -> None:
    """Check that the files can be written; raises `UsageError`."""
    if is_script and options.record is not None:
        raise UsageError(
            "`--record` keeps what came of the rules; of a script, `--html` or `--output-format json` does"
        )
    if not is_script and options.html is not None:
        raise UsageError("`--html` shows a script: name one, as in `torchlint verify train.py --html report.html`")


def verify_command(linted: Linted) -> click.Command:
    """Return the command; `linted` returns the linter's findings in a program and the project around it."""
    command = copy.copy(_verify)
    command.context_settings = {**_verify.context_settings, "obj": linted}
    return command


def _script(
    targets: tuple[str, ...], arguments: tuple[str, ...], steps: int, gpus: int, time_limit: float | None
) -> Script:
    from torchlint.verify.script import Script

    if len(targets) > 1:
        raise UsageError("verify takes rules, or one script and its arguments")
    script = Script(Path(targets[0]), arguments, steps, gpus)
    if not script.path.is_file():
        raise UsageError(f"path does not exist: {script.path}")
    return script if time_limit is None else replace(script, limit=time_limit)
