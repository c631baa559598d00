"""Verify the rules' claims, or run a user's program, and print the results."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchlint.errors import UsageError
from torchlint.finding import Finding
from torchlint.nearest import suggestion

if TYPE_CHECKING:
    from torchlint.verify.installed import Torch
    from torchlint.verify.report import Environment, ReportJson, RuleResult
    from torchlint.verify.script import Script, ScriptRun
    from torchlint.verify.scriptreport import ScriptJson

NO_GPU = "no GPU that this torch can use: nothing could be measured, and what needs one is simulated"
_RULE_LIMIT = 60.0


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
    """Replay the claims of rules, of all if none is named; return the exit code: 1 if one is refuted.

    Raises `TorchlintError` if nothing can be replayed.
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
    """Run a user's program, and print the results for its findings; return the exit code: 1 if it failed.

    Raises `TorchlintError` if it has no outcome.
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
    asked = suggestion(name, known)
    return f"no rule `{name}` to verify" + (f"; {asked}" if asked else "")


def _environment(torch: Torch, options: Options) -> Environment:
    """Return where programs are run: on the GPUs of this machine, unless that is impossible, or not wanted."""
    from torchlint.verify.gpus import present
    from torchlint.verify.report import Environment

    gpus = present()
    environment = Environment(torch.version, gpus)
    if gpus and options.simulate:
        environment = Environment(torch.version, (), f"{gpus[0].name} not used")
    elif gpus and not torch.cuda:
        environment = Environment(torch.version, (), f"built without CUDA for the {gpus[0].name} here")
    if options.gpu_wanted and not environment.gpus:
        click.echo(NO_GPU, err=True)
    return environment
