"""Every place of a notebook's program is known in its cell and in its file."""

from __future__ import annotations

import json
import re

from hypothesis import assume, given, strategies as st

from tests.notebook.notebooks import code, document, lines_of, notebook_of, prose, texts, written
from torchlint.finding import CellSpan, Span
from torchlint.notebook.layout import Notebook
from torchlint.notebook.program import read_notebook
from torchlint.report import FileReport

_NEWLINE = re.compile(r"\r\n|\r|\n")


def sources_in(text: str) -> dict[int, str]:
    """Return the source of each code cell, by its number."""
    cells = json.loads(text)["cells"]
    found = {number: "".join(cell["source"]) for number, cell in enumerate(cells, 1) if cell["cell_type"] == "code"}
    return {number: source for number, source in found.items() if source}


def stretches(program: str, notebook: Notebook) -> list[tuple[Span, str]]:
    """Return the span of every character that is as its cell has it, with the character."""
    found = []
    for number, line in enumerate(program.split("\n")[:-1], 1):
        cell = notebook.cell_at(number)
        assert cell is not None
        if cell.lines[number - cell.first] == line:
            found += [(Span(number, at, number, at + 1), character) for at, character in enumerate(line, 1)]
    return found


@given(text=texts())
def test_the_program_is_the_code_of_all_cells_in_order(text: str) -> None:
    program, notebook = read_notebook(text)

    cells = {cell.number: "\n".join(cell.lines) for cell in notebook.cells}
    sources = {number: "\n".join(_NEWLINE.split(source)) for number, source in sources_in(text).items()}
    assert cells == {number: source for number, source in sources.items() if number in cells}
    assert program.count("\n") == sum(len(cell.lines) for cell in notebook.cells)


@given(text=texts())
def test_every_character_stands_in_the_file_where_it_is_said_to(text: str) -> None:
    program, notebook = read_notebook(text)
    rows = _NEWLINE.split(text)

    for span, character in stretches(program, notebook):
        place = notebook.in_file(span)
        assert place.line == place.end_line
        spelled = rows[place.line - 1][place.column - 1 : place.end_column - 1]
        assert json.loads(f'"{spelled}"') == character


@given(text=texts())
def test_every_character_stands_in_the_cell_where_it_is_said_to(text: str) -> None:
    program, notebook = read_notebook(text)
    sources = sources_in(text)

    for span, character in stretches(program, notebook):
        where = notebook.in_cell(span)
        line = _NEWLINE.split(sources[where.cell])[where.span.line - 1]
        assert line[where.span.column - 1 : where.span.end_column - 1] == character


@given(text=texts())
def test_the_lines_of_the_file_are_those_that_hold_code(text: str) -> None:
    program, notebook = read_notebook(text)
    rows, lines = _NEWLINE.split(text), notebook.file_lines()

    assert all(line in ("", row) for line, row in zip(lines, rows, strict=False))
    for span, _ in stretches(program, notebook):
        place = notebook.in_file(span)
        assert lines[place.line - 1] == rows[place.line - 1]


@given(text=texts(), data=st.data())
def test_a_span_over_several_cells_ends_with_the_first(text: str, data: st.DataObject) -> None:
    program, notebook = read_notebook(text)
    assume(program)
    total = program.count("\n") + 1
    first, last = sorted(data.draw(st.tuples(st.integers(1, total), st.integers(1, total))))

    where = notebook.in_cell(Span(first, 1, last, 1))

    cell = notebook.cell(where.cell)
    assert 1 <= where.span.line <= where.span.end_line <= len(cell.lines)
    assert where.span <= where.span.__class__(where.span.end_line, where.span.end_column, 10**6, 1)
    assert notebook.in_file(Span(first, 1, last, 1)).end_line <= len(notebook.file_lines())


def test_a_place_has_the_number_of_its_cell_among_all() -> None:
    program, notebook = read_notebook(notebook_of("a = 1\n", "b = 2\nc = 3"))

    assert program == "a = 1\n\nb = 2\nc = 3\n"
    assert notebook.in_cell(Span(4, 1, 4, 2)) == CellSpan(3, Span(2, 1, 2, 2))


def test_all_lines_of_a_single_string_stand_in_one_line_of_the_file() -> None:
    text = written(document([prose(), code('a = "é"\nb = 2')]), ascii_only=True)
    _, notebook = read_notebook(text)

    place = notebook.in_file(Span(2, 1, 2, 6))

    row = text.split("\n")[place.line - 1]
    assert row[place.column - 1 : place.end_column - 1] == "b = 2"


def test_strings_need_not_be_lines() -> None:
    program, notebook = read_notebook(written(document([code(["a = ", "1\nb", " = 2"])])))

    place = notebook.in_file(Span(2, 1, 2, 6))

    assert program == "a = 1\nb = 2\n"
    assert (place.line, place.end_line) == (20, 21)


def test_empty_cells_are_no_part_of_the_program() -> None:
    program, notebook = read_notebook(written(document([code([]), code(""), code([""]), code(lines_of("a = 1"))])))

    assert program == "a = 1\n"
    assert [cell.number for cell in notebook.cells] == [4]


def test_a_report_knows_where_its_places_stand_in_the_file() -> None:
    _, notebook = read_notebook(notebook_of("a = 1"))
    span = Span(1, 1, 1, 2)

    assert FileReport("a.py").in_file(span) == span
    assert FileReport("a.ipynb", notebooks={"a.ipynb": notebook}).in_file(span) == notebook.in_file(span)
