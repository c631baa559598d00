"""The commands, with the options and the help of all but the one that lints; what they run is imported when called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchlint.cli.check_command import check_command, color_option
from torchlint.cli.completion import complete_rule
from torchlint.cli.exits import CLEAN
from torchlint.cli.program import Program
from torchlint.explain import FORMS, explained, listing, page
from torchlint.terminal.capabilities import wants_color, width
from torchlint.terminal.streams import tell, write
from torchlint.verify.command import verify_command

if TYPE_CHECKING:
    from torchlint.explain.pages import Page
    from torchlint.finding import Finding
    from torchlint.manual import Subject


@click.group(
    cls=Program,
    add_help_option=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
def torchlint() -> None:
    """Find mistakes in PyTorch code without running it."""


_form = click.option(
    "--output-format",
    "--format",
    "form",
    type=click.Choice(FORMS),
    default=FORMS[0],
    show_default=True,
    help="What stdout shows.",
)


@torchlint.command("explain")
@click.argument("rules", nargs=-1, metavar="[RULE]...", shell_complete=complete_rule)
@click.option("--all", "every", is_flag=True, help="Show the pages of all rules.")
@_form
@color_option
def _explain(rules: tuple[str, ...], every: bool, form: str, color: bool | None) -> int:
    """Show the page of a rule: why, its programs, its proof."""
    if every == bool(rules):
        raise click.UsageError("name rules to explain, or say --all")
    chosen = sorted(subject.name for subject in _subjects()) if every else _present(rules)
    pages = [*map(_page, chosen)]
    write([explained(pages, form, color=wants_color(color), width=width())])
    return CLEAN


@torchlint.command("rules")
@_form
@color_option
def _rules(form: str, color: bool | None) -> int:
    """List all rules."""
    write([listing(_subjects(), form, color=wants_color(color), width=width())])
    return CLEAN


def _present(names: Sequence[str]) -> Sequence[str]:
    """Return current names, each once; to know former names, all rules are imported."""
    from torchlint.registry import builtin_rule
    from torchlint.selection import present_names

    if not all(map(builtin_rule, names)):
        names = present_names(names, "the command line", lambda words: tell(f"note: {words}"))
    return [*dict.fromkeys(names)]


def _page(name: str) -> Page:
    from torchlint.registry import builtin_rule
    from torchlint.verify.evidence import evidence_of

    evidence, rule = evidence_of(name), builtin_rule(name)
    return page(name, (rule,) if rule else _subjects(), evidence.words if evidence else "")


def _subjects() -> tuple[Subject, ...]:
    """Return all that has a page: the rules, and the engine's own findings."""
    from torchlint.engine import NOTICES
    from torchlint.registry import installed_rules

    return (*installed_rules().values(), *NOTICES)


@torchlint.command("server", short_help="Serve an editor (Language Server Protocol).")
def _server() -> int:
    """Serve an editor, by the Language Server Protocol on stdin and stdout."""
    from torchlint.cli.serving import serve

    return serve()


@torchlint.command("mcp", short_help="Serve a programming agent (Model Context Protocol).")
def _mcp() -> int:
    """Serve a programming agent, by the Model Context Protocol on stdin and stdout."""
    from torchlint.cli.serving import serve_agent

    return serve_agent()


@torchlint.command("migrate", short_help="Take over comments and settings of other linters.")
@click.argument("paths", nargs=-1)
@click.option("--write", "writes", is_flag=True, help="Write the files, in place of showing a diff.")
@click.option("-q", "--quiet", is_flag=True, help="Show no notes.")
@color_option
def _migrate(paths: tuple[str, ...], writes: bool, quiet: bool, color: bool | None) -> int:
    """Take over comments and settings that suppress findings of TorchFix or SonarSource, in files and folders.

    Rewrites `# noqa: TOR102` and the like, and settings of flake8 in the folders. Shows a diff, and exits with 1 if
    there is one.
    """
    from torchlint.cli.migrating import migrate

    return migrate(paths or (".",), writes=writes, quiet=quiet, color=color)


@torchlint.command("clean")
@click.argument("paths", nargs=-1)
@click.option("--cache-dir", type=click.Path(path_type=Path), help="The folder that `--cache-dir` named.")
def _clean(paths: tuple[str, ...], cache_dir: Path | None) -> int:
    """Remove the cache of the current folder, or of other folders."""
    from torchlint.cli.caching import clean

    return clean(paths or (".",), cache_dir)


def _findings_around(program: Path) -> Sequence[Finding]:
    from torchlint.cli.check import findings_around

    return findings_around(program)


torchlint.add_command(check_command)
torchlint.add_command(verify_command(_findings_around))
