"""Errors inside torchlint, with what is needed to report and to fix them."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

from torchlint.errors import RunError, one_line_of
from torchlint.rule import Rule

if TYPE_CHECKING:
    from torchlint.model.place import Place


def rule_failed(rule: Rule, path: str, error: Exception, *, traceback: bool = False) -> RunError:
    """Return the report of a rule that raised, with the line of the linted file that it was checking."""
    line = next((_line(place) for place in _places(error) if place.path == path), None)
    where = path if line is None else f"{path}:{line}"
    return _failed(path, "rule-failed", f"rule `{rule.name}` failed on {where}", error, traceback)


def _line(place: Place) -> str:
    """Return the line number of a place for the reader of its file."""
    notebook = place.file.source.notebook
    if notebook is None:
        return str(place.span.line)
    where = notebook.in_cell(place.span)
    return f"cell {where.cell}:{where.span.line}"


def file_failed(path: str, error: Exception, *, traceback: bool = False) -> RunError:
    """Return the report of a file on which torchlint itself failed."""
    return _failed(path, "file-failed", f"torchlint failed on {path}", error, traceback)


def worker_died(path: str, how: str) -> RunError:
    """Return the report of a file whose worker ended in the middle of it."""
    return RunError(path, "worker-died", f"{path} was not checked: the process that linted it {how}")


def _failed(path: str, kind: str, words: str, error: Exception, traceback: bool) -> RunError:
    if not traceback:
        return RunError(path, kind, f"{words} ({one_line_of(error)})")
    from traceback import format_exception

    way = "".join(format_exception(error)).rstrip()
    return RunError(path, kind, f"{words} ({one_line_of(error)})\n{way}")


def _places(error: Exception) -> Iterator[Place]:
    """Yield the places that were being evaluated when an error was raised, innermost first."""
    from traceback import walk_tb

    from torchlint.model.place import Place

    frames: list[FrameType] = [frame for frame, _ in walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        for value in frame.f_locals.values():
            if isinstance(value, Place):
                yield value
