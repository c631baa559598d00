"""`torchlint verify`: the rules' claims, or a program of the user's."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from torchlint.errors import TorchlintError, UsageError
from torchlint.finding import Finding
from torchlint.nearest import nearest

if TYPE_CHECKING:
    from torchlint.verify.installed import Torch
    from torchlint.verify.report import Environment, ReportJson, RuleResult
    from torchlint.verify.script import Script, ScriptRun
    from torchlint.verify.scriptreport import ScriptJson

NO_GPU = "no GPU that this torch can use: nothing could be measured, and what needs one is simulated"
Linted: TypeAlias = "Callable[[Path], Sequence[Finding]]"
_SCRIPT, _PAGE = ".py", "--html"
_RULE_LIMIT = 60.0
_SECONDS, _COUNT = click.FloatRange(min=0, min_open=True), click.IntRange(min=0)


@dataclass(frozen=True, slots=True)
class Options:
    """How to verify; `limit` is in seconds for each program."""

    verbose: bool = False
    output_format: str = "full"
    record: Path | None = None
    html: Path | None = None
    limit: float | None = None
    simulate: bool = False
    forks: bool | None = None
    gpu_wanted: bool = False


def verify_rules(names: Sequence[str], options: Options) -> int:
    """Replay the claims of rules, of all where none is named; return the exit code: 1 where one is refuted.

    Raises `TorchlintError` where nothing can be replayed.
    """
    from torchlint.verify import report
    from torchlint.verify.fixtures import pairs_of
    from torchlint.verify.installed import installed_torch
    from torchlint.verify.replay import Bench, Verdict, replay
    from torchlint.verify.server import OnceEach, runner

    torch, rules = installed_torch(), _rules(names)
    environment = _environment(torch, options)
    _tell(options, report.head(environment, verbose=options.verbose))
    started = time.monotonic()
    results: list[RuleResult] = []
    with runner(forks=options.forks) as programs:
        bench = Bench(OnceEach(programs), torch, environment.gpus, options.limit or _RULE_LIMIT)
        for rule in rules:
            result = report.RuleResult(rule, tuple(replay(pair, bench) for pair in pairs_of(rule)))
            results.append(result)
            _tell(options, report.lines(result, max(map(len, rules)), verbose=options.verbose))
    _tell(options, [report.summary(results, time.monotonic() - started)])
    _write(report.as_json(results, environment), options)
    return int(any(result.verdict is Verdict.REFUTED for result in results))


def verify_script(script: Script, findings: Sequence[Finding], options: Options) -> int:
    """Run a program of the user's, and tell what it makes of the findings; return the exit code: 1 where it failed.

    Raises `TorchlintError` where nothing came of it.
    """
    from torchlint.verify import scriptreport
    from torchlint.verify.installed import installed_torch
    from torchlint.verify.script import run_script

    environment = _environment(installed_torch(), options)
    click.echo(f"running {script.path}: what it prints goes to stderr", err=True)
    seen = run_script(script, findings, environment, forks=options.forks)
    _tell(options, scriptreport.text(seen, verbose=options.verbose))
    if options.output_format == "json":
        _tell_json(scriptreport.as_json(seen))
    if options.html is not None:
        _write_page(seen, options.html)
    return int(seen.run.raised is not None or bool(seen.run.farewell))


def _write(found: ReportJson, options: Options) -> None:
    if options.output_format == "json":
        _tell_json(found)
    if options.record is not None:
        from torchlint.verify.evidence import write_record

        write_record(found, options.record, time.strftime("%Y-%m-%d"))


def _write_page(seen: ScriptRun, file: Path) -> None:
    from torchlint.verify import evidence, page

    evidence.write(file, page.html(seen, time.strftime("%Y-%m-%d")))
    click.echo(f"wrote {file}", err=True)


def _tell_json(report: ReportJson | ScriptJson) -> None:
    import json

    click.echo(json.dumps(report, indent=2))


def _tell(options: Options, lines: Iterable[str]) -> None:
    for line in lines:
        if options.output_format == "full":
            click.echo(line)


def _rules(names: Sequence[str]) -> list[str]:
    from torchlint.selection import present_names
    from torchlint.verify.fixtures import rules_with_fixtures

    known = rules_with_fixtures()
    names = present_names(names, "the command line", lambda words: click.echo(f"note: {words}", err=True))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(*(_unknown(name, known) for name in unknown))
    return list(dict.fromkeys(names)) or known


def _unknown(name: str, known: Sequence[str]) -> str:
    meant = nearest(name, known)
    return f"no rule `{name}` to verify" + (f"; did you mean `{meant}`?" if meant else "")


def _environment(torch: Torch, options: Options) -> Environment:
    """Say where programs are run: on the GPUs of this machine, unless that cannot be, or is not wanted."""
    from torchlint.verify.gpus import present
    from torchlint.verify.report import Environment

    gpus = present()
    environment = Environment(torch.version, gpus)
    if gpus and options.simulate:
        environment = Environment(torch.version, (), f"{gpus[0].name} left alone")
    elif gpus and not torch.cuda:
        environment = Environment(torch.version, (), f"built without CUDA for the {gpus[0].name} here")
    if options.gpu_wanted and not environment.gpus:
        click.echo(NO_GPU, err=True)
    return environment


class _RulesOrScript(click.Command):
    """Leaves what comes after a script to the script, all but where to write the page; and that too after `--`."""

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
    """Return our words and the script's; the page's file is asked for with either."""
    for index, word in enumerate(rest):
        if word == _PAGE:
            return [*own, *rest[index : index + 2]], [*rest[:index], *rest[index + 2 :]]
        if word.startswith(f"{_PAGE}="):
            return [*own, word], [*rest[:index], *rest[index + 1 :]]
    return own, rest


@click.command("verify", cls=_RulesOrScript)
@click.argument("targets", metavar="[RULE]... | SCRIPT [ARGUMENT]...", nargs=-1)
@click.option("-v", "--verbose", is_flag=True, help="Show everything that was seen.")
@click.option("--output-format", type=click.Choice(["full", "json"]), default="full", show_default=True)
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Write a dated record.")
@click.option(_PAGE, type=click.Path(path_type=Path, dir_okay=False), help="Write a page that shows a script's waits.")
@click.option("--time-limit", type=_SECONDS, help="Seconds for a program. [default: 60; 600 for a script]")
@click.option("--simulate", is_flag=True, help="Pretend GPUs even where there are real ones.")
@click.option("--fork/--no-fork", default=None, help="Fork programs off one process, or start each anew.")
@click.option(
    "--steps", type=_COUNT, default=100, show_default=True, help="Optimizer steps to run of a script; 0 for all."
)
@click.option("--gpus", type=_COUNT, default=1, show_default=True, help="How many GPUs to pretend for a script.")
@click.option("--verify-on-gpu", "gpu_wanted", is_flag=True, help="Say so where there is no GPU to measure on.")
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
    """Show that the rules are right, or what they make of a program of yours.

    Replays what every rule claims, or those that are named: the bad program must do it, its good twin must not.
    Given a script, RUNS IT, and tells which of its lines make the host wait for the GPU on every step.

    Real GPUs are used where there are enough of them; else they are simulated, and the report says so.
    """
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
    """Refuse what would not be written; raises `UsageError`."""
    if is_script and options.record is not None:
        raise UsageError(
            "`--record` keeps what came of the rules; of a script, `--html` or `--output-format json` does"
        )
    if not is_script and options.html is not None:
        raise UsageError("`--html` shows a script: name one, as in `torchlint verify train.py --html report.html`")


def verify_command(linted: Linted) -> click.Command:
    """Return the command; `linted` returns what the linter says of a program and the project around it."""
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
