"""The sections in which `--help` and the manual list the options of the command that lints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

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
    "Output": ("--output-format", "--output", "--statistics", "--max-findings", "--color", "--quiet", "--verbose"),
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


def sections(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the sections of a command's help, each with the name and the help of its options."""
    params = command.get_params(ctx)
    options = {one.opts[-1]: one.get_help_record(ctx) or ("", "") for one in params if isinstance(one, click.Option)}
    for title, names in SECTIONS.items():
        yield title, [options[name] for name in names]
