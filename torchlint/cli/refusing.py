"""Options that make no sense together."""

from __future__ import annotations

from torchlint.cli.options import LintOptions
from torchlint.errors import UsageError

_STDIN = "-"


def refuse_idle(options: LintOptions) -> None:
    """Raise for options that say how to do what is not to be done."""
    wishes, mends = options.wishes, options.fix or options.diff
    if "" in options.paths:
        raise UsageError("a path is empty: leave it out to lint the folder you are in")
    for given, name in (
        (options.unsafe_fixes, "--unsafe-fixes"),
        (options.show_fixes, "--show-fixes"),
        (wishes.exit_non_zero_on_fix, "--exit-non-zero-on-fix"),
    ):
        if given and not mends:
            raise UsageError(f"{name} is for --fix and --diff: give one of them with it")
    if wishes.add_ignore is not None and (mends or _STDIN in options.paths):
        raise UsageError("--add-ignore writes to files, and fixes nothing: without --fix, --diff and `-`")
    if wishes.diff_base is not None and _STDIN in options.paths:
        raise UsageError("--diff-base asks git what has changed, which knows nothing of stdin: without `-`")
    if options.timing and (mends or wishes.add_ignore is not None or _STDIN in options.paths):
        raise UsageError("--timing is of linting files: leave out --fix, --diff, --add-ignore and `-`")
    if options.outputs and options.diff:
        raise UsageError("--output is for findings, and --diff shows changes: leave one of them out")
