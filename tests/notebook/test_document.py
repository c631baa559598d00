"""What is no notebook of Python is reported, and nothing is made of it."""

from __future__ import annotations

import pytest

from tests.notebook.notebooks import code, document, lines_of, notebook_of, prose, written
from torchlint.finding import Span
from torchlint.source import OtherLanguageError, UnreadableSourceError, read_source


def refused(data: str | bytes) -> tuple[str, Span]:
    with pytest.raises(UnreadableSourceError) as caught:
        read_source("a.ipynb", data.encode() if isinstance(data, str) else data)
    assert not isinstance(caught.value, OtherLanguageError)
    return caught.value.reason, caught.value.span


def test_broken_json_is_told_with_its_place() -> None:
    reason, span = refused('{\n "cells": [\n<<<<<<< HEAD\n')

    assert reason == "not a notebook, as it is not valid JSON: expecting value"
    assert span == Span(3, 1, 3, 2)


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null"])
def test_json_that_is_no_object_is_no_notebook(text: str) -> None:
    assert refused(text)[0] == "not a notebook, as its JSON is no object"


@pytest.mark.parametrize("text", ["{}", '{"nbformat": 4}', '{"cells": {}}'])
def test_json_without_cells_is_no_notebook(text: str) -> None:
    assert refused(text)[0] == "not a notebook, as its JSON has no list of cells"


@pytest.mark.parametrize("version", [2, 3, 5])
def test_other_formats_are_told_with_the_way_to_this_one(version: int) -> None:
    reason, _ = refused(written({"worksheets": [], "metadata": {}, "nbformat": version}))

    assert reason.startswith(f"a notebook of format {version}, and only 4 can be read: convert it with `jupyter")


@pytest.mark.parametrize("source", [3, {"a": 1}, ["a = 1\n", 2], [["a"]]])
def test_a_source_that_is_no_text_is_told(source: object) -> None:
    reason, span = refused(written(document([prose(), code([]) | {"source": source}])))

    assert reason == "not a notebook, as the source of cell 2 is no text"
    assert span.line > 10


def test_bytes_that_are_no_utf_8_are_told_with_their_place() -> None:
    reason, span = refused(b'{\n "cells": "\xe9"')

    assert (reason, span) == (
        "not valid UTF-8: byte 0xe9 at line 2, column 12: save it as UTF-8",
        Span(2, 12, 2, 13),
    )


@pytest.mark.parametrize(
    ("escape", "told"),
    [("\\u0000", "source code cannot contain null bytes"), ("\\ud83d", "not valid Unicode: half a surrogate pair")],
)
def test_what_no_source_holds_is_told_with_its_place_in_the_file(escape: str, told: str) -> None:
    text = notebook_of("a = 1\nb = 'X'").replace("X", escape)

    reason, span = refused(text)

    assert reason == told
    assert text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1] == escape


@pytest.mark.parametrize("text", ["[" * 100_000, '{"cells": ' + "[" * 100_000, f'{{"nbformat": {"9" * 5_000}}}'])
def test_json_beyond_measure_is_told(text: str) -> None:
    assert refused(text)[0].startswith(("not a notebook, as its JSON", "not a notebook, as it is not valid JSON"))


@pytest.mark.parametrize("text", ["", "\n", written(document([])), written(document([prose()])), "\ufeff"])
def test_a_notebook_without_code_is_an_empty_program(text: str) -> None:
    assert read_source("a.ipynb", text.encode()).text == ""


@pytest.mark.parametrize("language", ["R", "julia", "scala"])
def test_a_notebook_in_another_language_is_no_mistake(language: str) -> None:
    with pytest.raises(OtherLanguageError, match=f"a notebook in {language}"):
        read_source("a.ipynb", written(document([code("x <- 1")], language)).encode())


def test_the_kernel_tells_where_the_notebook_does_not() -> None:
    told = {"kernelspec": {"name": "ir", "language": "R"}}

    with pytest.raises(OtherLanguageError):
        read_source("a.ipynb", written(document([], metadata=told)).encode())


@pytest.mark.parametrize("metadata", [{}, None, [], {"language_info": {"name": "ipython"}}, {"kernelspec": {}}])
def test_a_notebook_that_says_nothing_else_is_python(metadata: object) -> None:
    text = written(document([code("x = 1")], metadata=metadata))

    assert read_source("a.ipynb", text.encode()).text == "x = 1\n"


def test_a_cell_that_the_editor_knows_in_another_language_is_left_out() -> None:
    other = code("SELECT 1", metadata={"vscode": {"languageId": "sql"}})

    text = written(document([other, code(lines_of("x = 1"))]))

    assert read_source("a.ipynb", text.encode()).text == "x = 1\n"


def test_of_two_sources_the_last_one_counts_as_in_all_json() -> None:
    text = notebook_of("x = 1").replace('"source": [\n    "x', '"source": "y = 2",\n   "source": [\n    "x')

    source = read_source("a.ipynb", text.encode())

    assert source.text == "x = 1\n"
    assert source.notebook is not None
    assert source.notebook.file_lines()[-1].strip() == '"x = 1"'
