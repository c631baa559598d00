"""What the user asked of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LintOptions:
    """The words of the command line; `select`, `color` and `output_format` are None where nothing was said."""

    paths: tuple[str, ...] = (".",)
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    output_format: str | None = None
    statistics: bool = False
    exit_zero: bool = False
    quiet: bool = False
    color: bool | None = None
    stdin_filename: str | None = None
    config: Path | None = None
    isolated: bool = False
    jobs: int = 0
    force_exclude: bool = False
    traceback: bool = False
    fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    show_fixes: bool = False


def names_in(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in the values of a repeatable option, each of which may hold several between commas."""
    return tuple(name for value in values for part in value.split(",") if (name := part.strip()))
