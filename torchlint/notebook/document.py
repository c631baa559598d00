"""The JSON of a notebook: its code cells, and the positions of the strings of their sources in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from torchlint.finding import Span
from torchlint.notebook.errors import NotebookError, OtherLanguageError
from torchlint.notebook.rows import Rows

# A tag by which Jupyter's nbclient runs on after a cell that raises.
_EXPECTING = "raises-exception"
_FORMAT = 4
_PYTHON = ("python", "ipython")
_START = Span(1, 1, 1, 2)
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()

Value: TypeAlias = "tuple[object, int, int]"
"""A value, its start and its end in the text."""


@dataclass(frozen=True, slots=True)
class WrittenSource:
    """The source of a code cell in the text: a string by itself, or a list of strings.

    `number` counts the cells of all kinds from 1. `separator` is the text between two strings of the list: it is empty
    if there is no list. `raised` tells whether its recorded output, or a tag, says that it ends with an error.
    """

    number: int
    strings: tuple[tuple[str, int, int], ...]
    separator: str
    raised: bool = False


def code_cells(text: str) -> Iterator[WrittenSource]:
    """Yield the sources of a notebook's code cells.

    Raises `NotebookError` for what is no notebook of format 4, `OtherLanguageError` for one that is not in Python.
    """
    document = _document(text)
    if document is None:
        return
    members = dict(_members(text, _skipped(text, 0)))
    _, start, _ = members["cells"]
    for number, (cell, begin, _) in enumerate(_items(text, start), 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code" and _is_python(_language_of_cell(cell)):
            source = dict(_members(text, begin)).get("source")
            if source is not None:
                yield replace(_written(text, number, source), raised=_has_raised(cell))


def _has_raised(cell: dict[object, object]) -> bool:
    """Tell whether the outputs of a cell contain an error of the program, and no interrupt, or its tags expect one."""
    outputs, tags = cell.get("outputs"), _inner(cell, "metadata", "tags")
    errors = [one for one in outputs if _inner(one, "output_type") == "error"] if isinstance(outputs, list) else []
    is_expected = isinstance(tags, list) and _EXPECTING in tags
    return is_expected or any(_inner(one, "ename") != "KeyboardInterrupt" for one in errors)


def _document(text: str) -> dict[object, object] | None:
    """Return the notebook, checked to be one in Python; None for an empty file, which is a new notebook."""
    if not text.strip():
        return None
    try:
        document: object = json.loads(text)
    except json.JSONDecodeError as error:
        span = Rows(text).span(error.pos)
        raise NotebookError(f"not a notebook, as it is not valid JSON: {_lowered(error.msg)}", span) from error
    except (ValueError, RecursionError) as error:
        raise NotebookError("not a notebook, as its JSON is beyond what Python reads", _START) from error
    if not isinstance(document, dict):
        raise NotebookError("not a notebook, as its JSON is no object", _START)
    version = document.get("nbformat", _FORMAT)
    if version != _FORMAT:
        advice = "convert it with `jupyter nbconvert --to notebook --inplace`"
        raise NotebookError(f"a notebook of format {str(version)[:20]}, and only 4 can be read: {advice}", _START)
    if not isinstance(document.get("cells"), list):
        raise NotebookError("not a notebook, as its JSON has no list of cells", _START)
    if not _is_python(language := _language(document)):
        raise OtherLanguageError(language)
    return document


def _language(document: dict[object, object]) -> str:
    """Return the language of a notebook: Python if it has none."""
    told = (
        _inner(document, "metadata", "language_info", "name"),
        _inner(document, "metadata", "kernelspec", "language"),
    )
    return next((one for one in told if isinstance(one, str) and one), _PYTHON[0])


def _language_of_cell(cell: dict[object, object]) -> str:
    told = _inner(cell, "metadata", "vscode", "languageId")
    return told if isinstance(told, str) else _PYTHON[0]


def _is_python(language: str) -> bool:
    return language.lower().startswith(_PYTHON)


def _inner(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _written(text: str, number: int, source: Value) -> WrittenSource:
    value, start, end = source
    if isinstance(value, str):
        return WrittenSource(number, ((value, start, end),), "")
    found = list(_items(text, start)) if isinstance(value, list) else []
    strings = tuple((one, begin, stop) for one, begin, stop in found if isinstance(one, str))
    if len(strings) < len(found) or not isinstance(value, list):
        raise NotebookError(f"not a notebook, as the source of cell {number} is no text", Rows(text).span(start))
    if len(strings) > 1:
        return WrittenSource(number, strings, text[strings[0][2] : strings[1][1]])
    return WrittenSource(number, strings, f",{text[start + 1 : strings[0][1]]}" if strings else "")


def _members(text: str, start: int) -> Iterator[tuple[str, Value]]:
    """Yield the keys and values of the object that begins at an offset."""
    at = _skipped(text, start + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        begin = _skipped(text, _skipped(text, at) + len(":"))
        value, end = _DECODER.raw_decode(text, begin)
        yield str(key), (value, begin, end)
        at = _next(text, end)


def _items(text: str, start: int) -> Iterator[Value]:
    """Yield the items of the list that begins at an offset."""
    at = _skipped(text, start + 1)
    while text[at] != "]":
        value, end = _DECODER.raw_decode(text, at)
        yield value, at, end
        at = _next(text, end)


def _next(text: str, end: int) -> int:
    """Return the offset of the next item, or of the closing bracket."""
    at = _skipped(text, end)
    return _skipped(text, at + 1) if text[at] == "," else at


def _skipped(text: str, at: int) -> int:
    """Return the end of the white space that begins at an offset."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]
