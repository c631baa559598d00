"""`--watch`: lint again whenever a file changes, until interrupted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from torchlint.cli.check import check
from torchlint.cli.options import LintOptions
from torchlint.engine import forget_roots, project_root
from torchlint.errors import TorchlintError, UsageError
from torchlint.files.existence import is_folder, is_present
from torchlint.terminal.capabilities import is_terminal
from torchlint.terminal.streams import flush, tell, write

NO_WATCHFILES = '--watch needs watchfiles: pip install "torchlint[watch]"'
_SUFFIXES = (".pyi", ".ipynb", ".toml")
_MILLISECONDS = 200
# Cursor home, and clear: earlier findings are out of date.
_CLEAR = "\x1b[H\x1b[2J\x1b[3J"


def watched(options: LintOptions) -> int:
    """Lint, and again with each change below the projects of the paths, until an interrupt."""
    if "-" in options.paths:
        raise UsageError("--watch waits for files to change, and stdin is none: without `-`")
    if find_spec("watchfiles") is None:
        raise UsageError(NO_WATCHFILES)
    from watchfiles import PythonFilter, watch

    code = check(options)
    roots = [*_roots(options)]
    for _ in watch(*roots, watch_filter=PythonFilter(extra_extensions=_SUFFIXES), debounce=_MILLISECONDS):
        forget_roots()
        if is_terminal(sys.stdout):
            write([_CLEAR])
        try:
            code = check(options)
        except TorchlintError as error:
            # A configuration with mistakes does not end the loop.
            for line in error.lines:
                tell(f"error: {line}")
        flush()
    return code


def _roots(options: LintOptions) -> Iterator[Path]:
    """Yield the folders in which a change may change the findings."""
    paths = [path.absolute() for word in options.paths if is_present(path := Path(word))]
    yield from dict.fromkeys(project_root(path, [folder for folder in paths if is_folder(folder)]) for path in paths)
