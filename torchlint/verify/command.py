"""`torchlint verify`: the rules' claims, or a program of the user's."""

from __future__ import annotations

import difflib
import importlib.util
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchlint.errors import TorchlintError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torchlint.verify.report import Place, RuleResult

NO_TORCH = 'verifying runs PyTorch programs, and torch is not installed: pip install "torchlint[verify]"'
NO_GPU = "no GPU that this torch can use: nothing could be measured, and what needs one is simulated"


@dataclass(frozen=True, slots=True)
class Options:
    """How to verify."""

    verbose: bool = False
    output_format: str = "full"
    record: Path | None = None
    limit: float = 60.0
    simulate: bool = False
    forks: bool | None = None
    gpu_wanted: bool = False


def verify_rules(names: Sequence[str], options: Options) -> int:
    """Replay the claims of rules, of all where none is named; return the exit code: 1 where one is refuted.

    Raises `TorchlintError` where nothing can be replayed.
    """
    from torchlint.verify import report
    from torchlint.verify.programs import pairs_of
    from torchlint.verify.replay import Bench, Verdict, replay
    from torchlint.verify.server import runner

    require_torch()
    rules = _rules(names)
    started = time.monotonic()
    results: list[RuleResult] = []
    with runner(forks=options.forks) as programs:
        place = _place(programs.torch, built_for=programs.cuda, simulate=options.simulate)
        if options.gpu_wanted and not place.gpus:
            click.echo(NO_GPU, err=True)
        _tell(options, report.head(place, verbose=options.verbose))
        bench = Bench(programs, place.gpus, options.limit)
        for rule in rules:
            result = report.RuleResult(rule, tuple(replay(pair, bench) for pair in pairs_of(rule)))
            results.append(result)
            _tell(options, report.lines(result, max(map(len, rules)), verbose=options.verbose))
    _conclude(options, results, place, time.monotonic() - started)
    return int(any(result.verdict is Verdict.REFUTED for result in results))


def _conclude(options: Options, results: Sequence[RuleResult], place: Place, seconds: float) -> None:
    from torchlint.verify import report

    _tell(options, [report.summary(results, seconds)])
    if options.output_format == "json":
        click.echo(json.dumps(report.as_json(results, place), indent=2))
    if options.record is not None:
        from torchlint.verify.evidence import write_record

        write_record(report.as_json(results, place), options.record, time.strftime("%Y-%m-%d"))


def _tell(options: Options, lines: Iterator[str] | Sequence[str]) -> None:
    for line in lines:
        if options.output_format == "full":
            click.echo(line)


def require_torch() -> None:
    """Raise `UsageError` where there is no torch; importing it is left to the processes that run programs."""
    if importlib.util.find_spec("torch") is None:
        raise UsageError(NO_TORCH)


def _rules(names: Sequence[str]) -> list[str]:
    from torchlint.verify.programs import rules_with_programs

    known = rules_with_programs()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(*(_unknown(name, known) for name in unknown))
    return list(dict.fromkeys(names)) or known


def _unknown(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"no rule `{name}` to verify" + (f"; did you mean `{near[0]}`?" if near else "")


def _place(torch: str, *, built_for: str, simulate: bool) -> Place:
    from torchlint.verify.gpus import present
    from torchlint.verify.report import Place

    gpus = present()
    if gpus and simulate:
        return Place(torch, (), f"{gpus[0].name} left alone")
    if gpus and not built_for:
        return Place(torch, (), f"built without CUDA for the {gpus[0].name} here")
    return Place(torch, gpus)


class _RulesOrScript(click.Command):
    """Leaves everything after a script to the script."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        script = next((index for index, word in enumerate(args) if word.endswith(".py")), len(args))
        ctx.meta["script_arguments"] = args[script + 1 :]
        return super().parse_args(ctx, args[: script + 1])


@click.command("verify", cls=_RulesOrScript)
@click.argument("targets", metavar="[RULE…] | SCRIPT [ARGUMENT…]", nargs=-1)
@click.option("-v", "--verbose", is_flag=True, help="Show the evidence: what each program did, and its twin.")
@click.option("--output-format", type=click.Choice(["full", "json"]), default="full", show_default=True)
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Write a dated record into this file.")
@click.option("--time-limit", type=float, default=60.0, show_default=True, help="Seconds that a program may take.")
@click.option("--simulate", is_flag=True, help="Pretend GPUs even where there are real ones.")
@click.option("--fork/--no-fork", default=None, help="Fork programs off one process, or start each anew.")
@click.pass_context
def verify(
    ctx: click.Context,
    targets: tuple[str, ...],
    verbose: bool,
    output_format: str,
    record: Path | None,
    time_limit: float,
    simulate: bool,
    fork: bool | None,
) -> None:
    """Show that the rules are right.

    Replays what every rule claims, or those that are named: the bad program must do it, and its good twin must not.
    Real GPUs are used where there are enough of them; else they are simulated, and the report says so.
    """
    options = Options(verbose, output_format, record, time_limit, simulate, fork)
    try:
        ctx.exit(verify_rules(targets, options))
    except TorchlintError as error:
        for line in str(error).splitlines():
            click.echo(f"error: {line}", err=True)
        ctx.exit(2)
