"""The files of a project, read and parsed when they are asked for."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

from torchlint.finding import Span
from torchlint.model.sourcefile import SourceFile
from torchlint.source import Source, UnreadableSourceError, read_source


class Project:
    """Everything below one root, of which some files are linted and the others only read."""

    def __init__(self, root: Path, target_torch: tuple[int, int] | None = None) -> None:
        self.root = root
        self.target_torch = target_torch

    def open(self, path: Path, shown: str, data: bytes | None = None) -> SourceFile:
        """Read and parse a file; `shown` is its name in findings, `data` its bytes where they are at hand.

        Raises `OSError` where the file cannot be read and `UnreadableSourceError` where it cannot be parsed.
        """
        source = read_source(shown, path.read_bytes() if data is None else data)
        return SourceFile(self, source, _parse(source))


def _parse(source: Source) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.text)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        end_line, end_column = error.end_lineno or line, error.end_offset or column + 1
        raise UnreadableSourceError(error.msg, Span(line, column, end_line, max(end_column, column + 1))) from error
    except (RecursionError, MemoryError) as error:
        raise UnreadableSourceError("too deeply nested for CPython to parse", Span(1, 1, 1, 2)) from error
