"""The options that filter findings, and what is done with the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from pathlib import Path

import click

from torchlint.cli.completion import complete_selection
from torchlint.levels import Confidence, Severity
from torchlint.presets import PRESETS

_CONFIDENCES = [one.value for one in Confidence]
_SEVERITIES = [one.value for one in Severity]


def _names(option: str, words: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    return click.option(option, metavar="NAMES", multiple=True, shell_complete=complete_selection, help=words)


# In the order of the help.
_OPTIONS = (
    _names("--extend-select", "Run these rules and groups in addition."),
    click.option(
        "--preset",
        type=click.Choice([*PRESETS]),
        help="A set of rules and the least confidence.  [default: default]",
    ),
    click.option("--preview/--no-preview", default=None, help="Run rules that are in preview, or not."),
    click.option("--min-confidence", type=click.Choice(_CONFIDENCES), help="Hide findings with less confidence."),
    click.option("--exclude", metavar="PATTERN", multiple=True, help="Exclude files, with a pattern as in .gitignore."),
    click.option(
        "--extension",
        metavar="EXT:python",
        multiple=True,
        help="Also lint files with this extension, as Python.",
    ),
    click.option(
        "--respect-gitignore/--no-respect-gitignore", default=None, help="Exclude files that git ignores, or not."
    ),
    click.option("--no-ignores", is_flag=True, help="Show findings that comments suppress."),
    click.option("--diff-base", metavar="REF", help="Show only findings on lines changed since this commit or branch."),
    click.option(
        "--baseline",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Hide the findings that this file lists.",
    ),
    click.option("--update-baseline", is_flag=True, help="Write all findings to the baseline."),
    click.option("--prune-baseline", is_flag=True, help="Remove findings that are gone from the baseline."),
    click.option(
        "--error-stale-baseline", is_flag=True, help="Exit with 1 if the baseline lists findings that are gone."
    ),
    click.option("--add-ignore", metavar="[=REASON]", help="Add comments that suppress all findings."),
    click.option(
        "--fail-on", type=click.Choice(_SEVERITIES), help="Exit with 1 from this severity on.  [default: warning]"
    ),
    click.option(
        "--max-findings",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Show at most N findings; 0 for all.",
    ),
    click.option(
        "--group/--no-group",
        default=None,
        help="Show findings of one cause as one, or each.  [default: each in JSON]",
    ),
    _names("--fixable", "Fix findings of these rules only."),
    _names("--unfixable", "Fix no findings of these rules."),
    click.option("--fix-only", is_flag=True, help="Fix, and do not show remaining findings."),
    click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed."),
    click.option("--show-settings", is_flag=True, help="Show the effective settings, and lint nothing."),
    click.option("--show-files", is_flag=True, help="Show the files that would be linted, and lint nothing."),
    click.option("-v", "--verbose", is_flag=True, help="Show the effective settings and where they are set."),
)


def takes_wishes(command: Callable[..., int]) -> Callable[..., int]:
    """Add these options to a command: their values are one argument, `wishes`."""

    @wraps(command)
    def with_wishes(**words: object) -> int:
        from torchlint.cli.options import SelectionOptions

        own = {one.name: words.pop(one.name) for one in fields(SelectionOptions)}
        return command(wishes=SelectionOptions(**own), **words)  # type: ignore[arg-type]  # click has checked them

    wrapped: Callable[..., int] = with_wishes
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
