"""The options that say what of all that is found counts, and what becomes of the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path

import click

from torchlint.cli.completion import complete_selection
from torchlint.finding import Confidence, Severity
from torchlint.presets import PRESETS

_CONFIDENCES = [one.value for one in Confidence]
_SEVERITIES = [one.value for one in Severity]


@dataclass(frozen=True, slots=True)
class Wishes:
    """The words of the command line as they were given; None, empty and 0 where nothing was said."""

    preset: str | None = None
    extend_select: tuple[str, ...] = ()
    preview: bool | None = None
    extension: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool | None = None
    min_confidence: str | None = None
    fail_on: str | None = None
    no_ignores: bool = False
    baseline: Path | None = None
    update_baseline: bool = False
    prune_baseline: bool = False
    error_stale_baseline: bool = False
    add_ignore: str | None = None
    diff_base: str | None = None
    max_findings: int = 0
    fixable: tuple[str, ...] = ()
    unfixable: tuple[str, ...] = ()
    fix_only: bool = False
    exit_non_zero_on_fix: bool = False
    show_settings: bool = False
    show_files: bool = False
    verbose: bool = False

    @property
    def writes_baseline(self) -> bool:
        """Tell whether the baseline is to be written."""
        return self.update_baseline or self.prune_baseline


def _names(option: str, words: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    return click.option(option, metavar="NAMES", multiple=True, shell_complete=complete_selection, help=words)


# In the order of the help.
_OPTIONS = (
    _names("--extend-select", "Run these as well as what runs anyway."),
    click.option(
        "--preset",
        type=click.Choice([*PRESETS]),
        help="Which rules run, and how sure they must be.  [default: default]",
    ),
    click.option("--preview/--no-preview", default=None, help="Take in what is being tried out, or not."),
    click.option("--min-confidence", type=click.Choice(_CONFIDENCES), help="Leave out what is less sure."),
    click.option("--exclude", metavar="PATTERN", multiple=True, help="Leave out files, as .gitignore would."),
    click.option(
        "--extension",
        metavar="EXT:python",
        multiple=True,
        help="Lint files of this extension, too: `--extension txt:python`.",
    ),
    click.option(
        "--respect-gitignore/--no-respect-gitignore", default=None, help="Leave out what git ignores, or not."
    ),
    click.option("--no-ignores", is_flag=True, help="Show what comments and --add-ignore silence."),
    click.option("--diff-base", metavar="REF", help="Show what is on lines that changed since this commit, or branch."),
    click.option(
        "--baseline",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Leave out what is known: the findings of a file.",
    ),
    click.option("--update-baseline", is_flag=True, help="Write what is found to the baseline."),
    click.option("--prune-baseline", is_flag=True, help="Remove from the baseline what is no longer found."),
    click.option("--error-stale-baseline", is_flag=True, help="Exit with 1 where something could be removed from it."),
    click.option("--add-ignore", metavar="[=REASON]", help="Write comments that ignore what is found."),
    click.option("--fail-on", type=click.Choice(_SEVERITIES), help="Exit with 1 from this on.  [default: warning]"),
    click.option(
        "--max-findings", type=click.IntRange(min=0), default=0, metavar="N", help="Show no more than these; 0 is all."
    ),
    _names("--fixable", "Fix findings of these rules only."),
    _names("--unfixable", "Fix no findings of these rules."),
    click.option("--fix-only", is_flag=True, help="Fix, and show nothing that is left."),
    click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 where something was fixed."),
    click.option("--show-settings", is_flag=True, help="Show the settings that hold, and lint nothing."),
    click.option("--show-files", is_flag=True, help="Show the files that would be linted, and lint nothing."),
    click.option("-v", "--verbose", is_flag=True, help="Tell which settings hold, and where they stand."),
)


def takes_wishes(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command these options: their values come as one argument, `wishes`."""

    @wraps(command)
    def with_wishes(**words: object) -> int:
        own = {one.name: words.pop(one.name) for one in fields(Wishes)}
        return command(wishes=Wishes(**own), **words)  # type: ignore[arg-type]  # click has checked them

    wrapped: Callable[..., int] = with_wishes
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
