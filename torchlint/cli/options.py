"""What the user asked of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from torchlint.cli.wishes import Wishes
from torchlint.errors import UsageError
from torchlint.output import FORMATS


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file to write beside what stdout shows, and in which format."""

    form: str
    path: Path


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
    config: tuple[str, ...] = ()
    isolated: bool = False
    jobs: int = 0
    force_exclude: bool = False
    traceback: bool = False
    fix: bool = False
    no_fix: bool = False
    unsafe_fixes: bool = False
    diff: bool = False
    show_fixes: bool = False
    wishes: Wishes = field(default_factory=Wishes)
    outputs: tuple[OutputFile, ...] = ()
    cache: bool = True
    cache_dir: Path | None = None
    timing: bool = False


def names_in(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in the values of a repeatable option, each of which may hold several between commas."""
    return tuple(name for value in values for part in value.split(",") if (name := part.strip()))


def output_files(values: Iterable[str]) -> tuple[OutputFile, ...]:
    """Return the files that the values of `--output` ask for; raises `UsageError` with every mistake in them."""
    mistakes: list[str] = []
    files: dict[Path, OutputFile] = {}
    for value in values:
        form, _, name = value.partition(":")
        path = Path(name).absolute()
        found = [*_mistakes(value, form, name)]
        if not found and path in files:
            found = [f"--output would write {name} twice"]
        mistakes += found
        files[path] = OutputFile(form, Path(name))
    if mistakes:
        raise UsageError(*mistakes)
    return tuple(files.values())


def _mistakes(value: str, form: str, name: str) -> Iterator[str]:
    if not name:
        yield f"--output is FORMAT:PATH, such as `sarif:torchlint.sarif`, and not `{value}`"
    elif form not in FORMATS:
        from torchlint.nearest import nearest

        meant = nearest(form, FORMATS)
        advice = f"did you mean `{meant}`?" if meant else f"there are {', '.join(FORMATS)}"
        yield f"unknown output format `{form}` in --output; {advice}"
