"""Options that make no sense together."""

from __future__ import annotations

from torchlint.cli.options import LintOptions
from torchlint.errors import UsageError

_STDIN = "-"


def may_fix_unasked(options: LintOptions) -> bool:
    """Tell whether a configuration that says `fix` is heeded: not where files are to stay as they are."""
    wishes = options.wishes
    shows = options.diff or options.no_fix or options.timing or wishes.show_settings or wishes.show_files
    return not (shows or wishes.add_ignore is not None or wishes.writes_baseline or _STDIN in options.paths)


def refuse_how(options: LintOptions) -> None:
    """Raise for options that say how to fix, where nothing is to be fixed."""
    for given, name in (
        (options.unsafe_fixes, "--unsafe-fixes"),
        (options.show_fixes, "--show-fixes"),
        (options.wishes.exit_non_zero_on_fix, "--exit-non-zero-on-fix"),
    ):
        if given:
            raise UsageError(f"{name} is for --fix and --diff: give one of them with it")


def refuse_idle(options: LintOptions) -> None:
    """Raise for options that say how to do what is not to be done."""
    wishes, mends = options.wishes, options.fix or options.diff
    if "" in options.paths:
        raise UsageError("a path is empty: leave it out to lint the folder you are in")
    if wishes.add_ignore is not None and (mends or _STDIN in options.paths):
        raise UsageError("--add-ignore writes to files, and fixes nothing: without --fix, --diff and `-`")
    if wishes.diff_base is not None and _STDIN in options.paths:
        raise UsageError("--diff-base asks git what has changed, which knows nothing of stdin: without `-`")
    if options.timing and (mends or wishes.add_ignore is not None or _STDIN in options.paths):
        raise UsageError("--timing is of linting files: leave out --fix, --diff, --add-ignore and `-`")
    if options.outputs and options.diff:
        raise UsageError("--output is for findings, and --diff shows changes: leave one of them out")
