"""What `--help` and the manual say of the command that lints: its options by section, and what follows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from torchlint.formats import FORMATS

_EPILOG = """\
A first argument with the name of a command is that command: use `./rules` for a folder named `rules`.

\b
NAMES: rules and groups, separated by commas, as `torchlint rules` lists them; or `all`.
FORMATS
Exit codes: 0 nothing found or left, 1 findings or a diff, 2 something could not be done, 130 interrupted.
Completion: eval "$(_TORCHLINT_COMPLETE=bash_source torchlint)", or zsh_source, or fish_source.
"""

# By section, the options in the order in which they are shown.
SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Rules": ("--select", "--ignore", "--extend-select", "--preset", "--preview", "--min-confidence"),
    "Files": (
        "--exclude",
        "--force-exclude",
        "--respect-gitignore",
        "--extension",
        "--stdin-filename",
        "--show-files",
    ),
    "Fixes": (
        "--fix",
        "--unsafe-fixes",
        "--diff",
        "--show-fixes",
        "--fix-only",
        "--fixable",
        "--unfixable",
        "--exit-non-zero-on-fix",
    ),
    "Output": (
        "--output-format",
        "--output",
        "--statistics",
        "--max-findings",
        "--group",
        "--color",
        "--quiet",
        "--verbose",
    ),
    "Existing code": (
        "--diff-base",
        "--baseline",
        "--update-baseline",
        "--prune-baseline",
        "--error-stale-baseline",
        "--add-ignore",
        "--no-ignores",
    ),
    "Configuration": ("--config", "--isolated", "--show-settings"),
    "Run": (
        "--fail-on",
        "--exit-zero",
        "--jobs",
        "--watch",
        "--no-cache",
        "--cache-dir",
        "--timing",
        "--traceback",
        "--verify-on-gpu",
        "--version",
        "--help",
    ),
}


def epilog() -> str:
    """Return what follows the options: what the words for their values stand for, exit codes and completion."""
    from textwrap import fill

    formats = fill(", ".join(FORMATS), 90, initial_indent="FORMAT: ", subsequent_indent=" " * 8)
    return _EPILOG.replace("FORMATS", formats)


def sections(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the sections of a command's help, each with the names and the help of its options."""
    params = command.get_params(ctx)
    options = {one.opts[-1]: one.get_help_record(ctx) or ("", "") for one in params if isinstance(one, click.Option)}
    for title, names in SECTIONS.items():
        yield title, [options[name] for name in names]
