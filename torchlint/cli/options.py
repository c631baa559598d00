"""The options of a run, and which of them exclude each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from torchlint.errors import UsageError
from torchlint.formats import FORMATS

_STDIN = "-"


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file to write besides stdout, and its format."""

    form: str
    path: Path


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """The options that filter findings, and what is done with the others; None, empty and 0 if they were not given."""

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
    group: bool | None = None
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


@dataclass(frozen=True, slots=True)
class LintOptions:
    """The values of the command line; `select`, `color` and `output_format` are None if they were not given."""

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
    wishes: SelectionOptions = field(default_factory=SelectionOptions)
    outputs: tuple[OutputFile, ...] = ()
    cache: bool = True
    cache_dir: Path | None = None
    timing: bool = False


def names_in(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in the values of a repeatable option, each of which may hold several between commas."""
    return tuple(name for value in values for part in value.split(",") if (name := part.strip()))


def output_files(values: Iterable[str]) -> tuple[OutputFile, ...]:
    """Return the files of the values of `--output`; raises `UsageError` with every mistake in them."""
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


def may_fix_unasked(options: LintOptions) -> bool:
    """Tell whether `fix` in a configuration applies: not if no file is to be changed."""
    wishes = options.wishes
    shows = options.diff or options.no_fix or options.timing or wishes.show_settings or wishes.show_files
    return not (shows or wishes.add_ignore is not None or wishes.writes_baseline or _STDIN in options.paths)


def refuse_how(options: LintOptions) -> None:
    """Raise for options that say how to fix, if nothing is to be fixed."""
    for given, name in (
        (options.unsafe_fixes, "--unsafe-fixes"),
        (options.show_fixes, "--show-fixes"),
        (options.wishes.exit_non_zero_on_fix, "--exit-non-zero-on-fix"),
    ):
        if given:
            raise UsageError(f"{name} is for --fix and --diff: give one of them with it")


def refuse_idle(options: LintOptions) -> None:
    """Raise for options that have no effect with the others."""
    wishes, fixes = options.wishes, options.fix or options.diff
    if "" in options.paths:
        raise UsageError("a path is empty: leave it out to lint the folder you are in")
    if wishes.add_ignore is not None and (fixes or _STDIN in options.paths):
        raise UsageError("--add-ignore writes to files, and fixes nothing: without --fix, --diff and `-`")
    if wishes.diff_base is not None and _STDIN in options.paths:
        raise UsageError("--diff-base asks git what has changed, which knows nothing of stdin: without `-`")
    if options.timing and (fixes or wishes.add_ignore is not None or _STDIN in options.paths):
        raise UsageError("--timing is of linting files: leave out --fix, --diff, --add-ignore and `-`")
    if options.outputs and options.diff:
        raise UsageError("--output is for findings, and --diff shows changes: leave one of them out")
