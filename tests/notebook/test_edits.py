"""An edit of the program changes what it is about, and not another byte of the file."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import assume, given, strategies as st

from tests.notebook.notebooks import CHARACTERS, code, document, lines_of, notebook_of, prose, texts, written
from torchlint.finding import Edit, Span
from torchlint.fixing.draft import CannotBeKeptError, Draft
from torchlint.notebook.layout import Cell, Notebook
from torchlint.notebook.program import read_notebook

_NEWLINE = re.compile(r"\r\n|\r|\n")


def edited(text: str, *edits: Edit) -> str:
    return Draft("a.ipynb", text.encode()).edited(edits).decode()


def source_of(text: str, number: int) -> str:
    """Return the source of a cell, with plain newlines."""
    return "\n".join(_NEWLINE.split("".join(json.loads(text)["cells"][number - 1]["source"])))


def without_source(text: str, number: int) -> object:
    """Return all of a notebook but the source of a cell."""
    notebook = json.loads(text)
    del notebook["cells"][number - 1]["source"]
    return notebook


@st.composite
def places(draw: st.DrawFn, cell: Cell) -> tuple[int, int]:
    """Draw a place in a cell, in the lines of the program."""
    index = draw(st.integers(0, len(cell.lines) - 1))
    return cell.first + index, draw(st.integers(1, len(cell.lines[index]) + 1))


def drawn_edit(notebook: Notebook, data: st.DataObject) -> tuple[Cell, Edit]:
    cells = [cell for cell in notebook.cells if not cell.head]
    assume(cells)
    cell = data.draw(st.sampled_from(cells))
    start, end = sorted((data.draw(places(cell)), data.draw(places(cell))))
    return cell, Edit(Span(*start, *end), data.draw(st.text(st.just("\n") | CHARACTERS, max_size=6)))


@given(text=texts(), data=st.data())
def test_an_edit_changes_the_source_of_one_cell_as_it_says(text: str, data: st.DataObject) -> None:
    _, notebook = read_notebook(text)
    cell, edit = drawn_edit(notebook, data)
    before, offset = "\n".join(cell.lines), [0]
    for line in cell.lines:
        offset.append(offset[-1] + len(line) + 1)
    span = edit.span
    start = offset[span.line - cell.first] + span.column - 1
    end = offset[span.end_line - cell.first] + span.end_column - 1

    after = edited(text, edit)

    assert source_of(after, cell.number) == before[:start] + edit.text + before[end:]
    assert without_source(after, cell.number) == without_source(text, cell.number)


@given(text=texts(), data=st.data())
def test_an_edit_leaves_every_byte_around_the_source_as_it_was(text: str, data: st.DataObject) -> None:
    _, notebook = read_notebook(text)
    _, edit = drawn_edit(notebook, data)
    place = notebook.in_file(edit.span)
    starts = [0, *(newline.end() for newline in _NEWLINE.finditer(text))]
    start = starts[place.line - 1] + place.column - 1

    after = edited(text, edit)

    # What comes before the place is as it was, but for an edit that takes a break before its line along.
    assert after[:start] == text[:start]
    end = max(starts[place.end_line - 1] + place.end_column - 1, start)
    tail = text[end:].partition("]" if "]" in text[end:] else "}")[2]
    assert after.endswith(tail)


@given(text=texts())
def test_no_edit_is_no_change(text: str) -> None:
    assert edited(text) == text


@given(text=texts(), data=st.data())
def test_what_is_put_in_is_ascii_where_all_the_file_is(text: str, data: st.DataObject) -> None:
    _, notebook = read_notebook(text)
    _, edit = drawn_edit(notebook, data)
    assume(text.isascii())

    assert edited(text, edit).isascii()


def test_a_new_line_is_a_string_of_its_own_where_lines_are() -> None:
    text = notebook_of("import torch\nx = 1")

    after = edited(text, Edit(Span(2, 1, 2, 1), "import copy\n"), Edit(Span(2, 6, 2, 6), "\ny = 2"))

    assert after == notebook_of("import torch\nimport copy\nx = 1\ny = 2")


def test_a_line_that_goes_takes_its_string_along() -> None:
    text = notebook_of("a = 1\nb = 2\nc = 3", "d = 4")

    assert edited(text, Edit(Span(2, 1, 3, 1), "")) == notebook_of("a = 1\nc = 3", "d = 4")
    assert edited(text, Edit(Span(3, 1, 4, 1), "")) == notebook_of("a = 1\nb = 2", "d = 4")


def test_a_line_in_place_of_the_last_one_ends_as_that_did() -> None:
    text = notebook_of("a = 1\nb = 2", "d = 4")

    assert edited(text, Edit(Span(2, 1, 3, 1), "c = 3\n")) == notebook_of("a = 1\nc = 3", "d = 4")
    assert edited(text, Edit(Span(4, 1, 4, 1), "e = 5\n")) == notebook_of("a = 1\nb = 2", "d = 4\ne = 5")


def test_a_string_by_itself_stays_one() -> None:
    text = written(document([prose("# é"), code("a = 1\nb = 2")]))

    after = edited(text, Edit(Span(1, 6, 1, 6), '\nprint("é")'))

    assert after == written(document([prose("# é"), code('a = 1\nprint("é")\nb = 2')]))


def test_escapes_stay_as_they_are() -> None:
    text = written(document([prose("# é"), code(lines_of('a = "é/"\nb = 2'))]), ascii_only=True).replace("/", "\\/")

    after = edited(text, Edit(Span(2, 5, 2, 6), "3"))

    assert after == text.replace("b = 2", "b = 3")


def test_newlines_of_the_file_and_of_the_cell_stay_what_they_are() -> None:
    text = written(document([code(["a = 1\r\n", "b = 2"])])).replace("\n", "\r\n")

    after = edited(text, Edit(Span(1, 6, 1, 6), "\nc = 3"))

    assert after == written(document([code(["a = 1\r\n", "c = 3\r\n", "b = 2"])])).replace("\n", "\r\n")


def test_a_bom_stays() -> None:
    text = "\ufeff" + notebook_of("a = 1")

    assert edited(text, Edit(Span(1, 5, 1, 6), "2")) == "\ufeff" + notebook_of("a = 2")


def test_nothing_is_put_above_the_magic_of_a_cell() -> None:
    text = notebook_of("\n%%time\nx = 1")

    assert edited(text, Edit(Span(1, 1, 1, 1), "import os\n")) == notebook_of("\n%%time\nimport os\nx = 1")


@pytest.mark.parametrize(
    "edit",
    [Edit(Span(1, 1, 3, 3), "x"), Edit(Span(1, 1, 3, 1), "x"), Edit(Span(3, 1, 3, 3), ""), Edit(Span(3, 1, 3, 1), "a")],
)
def test_what_reaches_over_cells_or_into_a_magic_is_refused(edit: Edit) -> None:
    text = notebook_of("a = 1\nb = 2", "%%time")

    with pytest.raises(CannotBeKeptError, match="reaches over more than one cell"):
        edited(text, edit)
