"""Make one program of a notebook's code cells."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate

from torchlint.finding import Span
from torchlint.notebook.document import WrittenSource, code_cells
from torchlint.notebook.errors import NotebookError
from torchlint.notebook.layout import Cell, Chunk, Notebook
from torchlint.notebook.magics import cell_magic, python_of
from torchlint.notebook.rows import Rows

_NEWLINE = re.compile(r"\r\n|\r|\n")
# No source contains a NUL, nor a lone surrogate, which JSON can encode.
_REFUSED = re.compile("[\0\ud800-\udfff]")
# One run reads a notebook to search words in it, to lint it, and to fix it.
_KEPT = 4


@lru_cache(maxsize=_KEPT)
def read_notebook(text: str) -> tuple[str, Notebook]:
    r"""Return the program of a notebook's text, with `\n` for newlines, and the position of each of its lines.

    Raises `NotebookError` for what is no notebook, `OtherLanguageError` for one that is not in Python.
    """
    rows = Rows(text)
    program: list[str] = []
    cells: list[Cell] = []
    for source in code_cells(text):
        cell = _cell(source, text, rows, first=len(program) + 1)
        plain = python_of(cell.lines)
        if plain is not None and cell.end:
            cells.append(cell)
            program += plain
    numbers = sorted({chunk.row for cell in cells for chunk in cell.chunks})
    notebook = Notebook(tuple(cells), tuple((number, rows.row(number)) for number in numbers), text.isascii())
    _refuse_what_no_source_holds(program, notebook)
    return "".join(f"{line}\n" for line in program), notebook


def _cell(source: WrittenSource, text: str, rows: Rows, first: int) -> Cell:
    strings = [string for string, _, _ in source.strings]
    begins = accumulate(map(len, strings), initial=0)
    chunks = (
        Chunk(begin, *rows.place(start + 1), text[start + 1 : end - 1])
        for begin, (_, start, end) in zip(begins, source.strings, strict=False)
    )
    whole = "".join(strings)
    newlines = list(_NEWLINE.finditer(whole))
    starts = (0, *(newline.end() for newline in newlines), len(whole))
    ends = (*(newline.start() for newline in newlines), len(whole))
    lines = tuple(whole[start:end] for start, end in zip(starts, ends, strict=False))
    newline = (newlines[0][0] if newlines else "\n").replace("\r", r"\r").replace("\n", r"\n")
    break_ = f'{newline}"{source.separator}"' if source.separator else newline
    head = 0 if cell_magic(lines) is None else 1 + next(index for index, line in enumerate(lines) if line.strip())
    return Cell(source.number, first, lines, starts, tuple(chunks), break_, head, source.raised)


def _refuse_what_no_source_holds(program: list[str], notebook: Notebook) -> None:
    for number, line in enumerate(program, 1):
        if found := _REFUSED.search(line):
            reason = (
                "source code cannot contain null bytes"
                if found[0] == "\0"
                else "not valid Unicode: half a surrogate pair"
            )
            column = found.start() + 1
            raise NotebookError(reason, notebook.in_file(Span(number, column, number, column + 1)))
