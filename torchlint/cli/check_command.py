"""The command that lints: its options and its help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from torchlint import __version__
from torchlint.cli.completion import complete_path_or_command, complete_selection
from torchlint.cli.program import CHECK, COLORS, Check
from torchlint.cli.selection_options import takes_wishes
from torchlint.formats import FORMATS

if TYPE_CHECKING:
    from torchlint.cli.options import SelectionOptions

color_option = click.option(
    "--color",
    type=click.Choice(COLORS),
    callback=lambda _, __, word: {"always": True, "never": False}.get(word),
    help="Write in colour: on a terminal, or as it says.  [default: auto]",
)


@click.command(CHECK, cls=Check, short_help="Lint files and folders (the default command).")
@click.argument("paths", nargs=-1, shell_complete=complete_path_or_command)
@click.option(
    "--select",
    metavar="NAMES",
    multiple=True,
    shell_complete=complete_selection,
    help="Run these rules and groups only; `all` for all.",
)
@click.option(
    "--ignore",
    metavar="NAMES",
    multiple=True,
    shell_complete=complete_selection,
    help="Do not run these rules and groups.",
)
@takes_wishes
@click.option("--fix/--no-fix", default=None, help="Apply safe fixes, which do not change what a correct program does.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: apply unsafe fixes, too.")
@click.option("--diff", is_flag=True, help="Show the fixes as a diff, and write nothing.")
@click.option("--show-fixes", is_flag=True, help="With --fix or --diff: list the applied fixes.")
@click.option(
    "--output-format",
    type=click.Choice([*FORMATS]),
    metavar="FORMAT",
    envvar="TORCHLINT_OUTPUT_FORMAT",
    help="The format of stdout.  [default: full; github in GitHub Actions]",
)
@click.option(
    "--output",
    metavar="FORMAT:PATH",
    multiple=True,
    help="Also write this file: `--output sarif:torchlint.sarif`.",
)
@click.option("--statistics", is_flag=True, help="Count the findings of each rule.")
@click.option("-q", "--quiet", is_flag=True, help="Show only the findings.")
@color_option
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are findings.")
@click.option("--stdin-filename", metavar="PATH", help="The file name of the text on stdin, for the path `-`.")
@click.option(
    "--config",
    metavar="FILE|KEY=VALUE",
    multiple=True,
    help="Use this configuration file, or override one setting.",
)
@click.option("--isolated", is_flag=True, help="Ignore all configuration files.")
@click.option("--force-exclude", is_flag=True, help="Exclude files even if they are passed as paths.")
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="The number of processes.  [default: automatic]",
)
@click.option("--watch", is_flag=True, help="Lint again whenever a file changes, until interrupted.")
@click.option(
    "--no-cache",
    is_flag=True,
    envvar="TORCHLINT_NO_CACHE",
    help="Do not read or write the cache.",
)
@click.option(
    "--cache-dir",
    type=click.Path(path_type=Path),
    envvar="TORCHLINT_CACHE_DIR",
    help="The folder of the cache.  [default: .torchlint_cache]",
)
@click.option("--timing", is_flag=True, help="Show how long each rule and file took.")
@click.option("--traceback", is_flag=True, help="Show the traceback if torchlint itself fails.")
@click.option(
    "--verify-on-gpu",
    is_flag=True,
    expose_value=False,
    help="Verify the RULES, or all, as `torchlint verify` on a GPU.",
)
@click.version_option(__version__, message="%(prog)s %(version)s", prog_name="torchlint")
def check_command(
    paths: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fix: bool | None,
    unsafe_fixes: bool,
    diff: bool,
    show_fixes: bool,
    output_format: str | None,
    output: tuple[str, ...],
    statistics: bool,
    quiet: bool,
    color: bool | None,
    exit_zero: bool,
    stdin_filename: str | None,
    config: tuple[str, ...],
    isolated: bool,
    force_exclude: bool,
    jobs: int,
    watch: bool,
    no_cache: bool,
    cache_dir: Path | None,
    timing: bool,
    traceback: bool,
    wishes: SelectionOptions,
) -> int:
    """Find mistakes in PyTorch code without running it, in files and folders; by default in the current folder.

    The path `-` is stdin.
    """
    from torchlint.cli.options import LintOptions, names_in, output_files

    options = LintOptions(
        paths=paths or ("-" if stdin_filename else ".",),
        select=names_in(select) if select else None,
        ignore=names_in(ignore),
        output_format=output_format,
        statistics=statistics,
        exit_zero=exit_zero,
        quiet=quiet,
        color=color,
        stdin_filename=stdin_filename,
        config=config,
        isolated=isolated,
        jobs=jobs,
        force_exclude=force_exclude,
        traceback=traceback,
        fix=bool(fix) or wishes.fix_only,
        no_fix=fix is False,
        unsafe_fixes=unsafe_fixes,
        diff=diff,
        show_fixes=show_fixes,
        wishes=wishes,
        outputs=output_files(output),
        cache=not no_cache,
        cache_dir=cache_dir,
        timing=timing,
    )
    if watch:
        from torchlint.cli.watching import watched

        return watched(options)
    from torchlint.cli.check import check

    return check(options)
