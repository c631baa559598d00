"""Notebooks to lint, constructed or drawn."""

from __future__ import annotations

import json
from collections.abc import Iterable

from hypothesis import strategies as st

Cell = dict[str, object]
Document = dict[str, object]


def code(source: str | list[str], **more: object) -> Cell:
    """Return a code cell with a source."""
    outputs = [{"output_type": "stream", "name": "stdout", "text": ["as it was\n"]}]
    return {
        "cell_type": "code",
        "execution_count": 7,
        "metadata": {"tags": []},
        "outputs": outputs,
        "source": source,
    } | more


def lines_of(text: str) -> list[str]:
    """Return a text as Jupyter writes it: a string for each line."""
    return text.splitlines(keepends=True)


def prose(text: str = "# What is done here") -> Cell:
    """Return a cell of Markdown."""
    return {"cell_type": "markdown", "metadata": {}, "source": lines_of(text)}


def document(cells: Iterable[Cell], language: str | None = "python", **more: object) -> Document:
    """Return a notebook."""
    metadata = {} if language is None else {"language_info": {"name": language}}
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5} | more


def written(notebook: object, *, indent: int | None = 1, ascii_only: bool = False) -> str:
    """Return the text of a file, as Jupyter writes it unless other ways are asked for."""
    return json.dumps(notebook, indent=indent, ensure_ascii=ascii_only) + "\n"


def notebook_of(*sources: str) -> str:
    """Return the text of a notebook with a cell of prose and some of code."""
    return written(document([prose(), *(code(lines_of(source)) for source in sources)]))


# What JSON spells in other ways than Python: quotes, backslashes, controls, what is no ASCII, pairs of surrogates.
CHARACTERS = st.sampled_from([*"ab =(", '"', "\\", "\t", "\x0c", "é", "日", "🎉", "\u2028", "/"])
LINES = st.text(CHARACTERS, max_size=8)
NEWLINES = st.sampled_from(["\n", "\r\n"])


@st.composite
def sources(draw: st.DrawFn) -> str | list[str]:
    """Draw the source of a cell: a string, a list of lines, or a list of strings cut anywhere."""
    text = draw(NEWLINES).join(draw(st.lists(LINES, min_size=1, max_size=4)))
    match draw(st.sampled_from(["string", "lines", "pieces"])):
        case "string":
            return text
        case "lines":
            return [line for line in text.replace("\n", "\n\0").split("\0") if line]
        case _:
            cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=3)))
            return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Draw the text of a notebook, written in any way."""
    kinds = st.one_of(sources().map(code), st.just(prose()), sources().map(lambda source: code(source, id="x")))
    notebook = document(draw(st.lists(kinds, max_size=4)))
    indent = draw(st.sampled_from([None, 0, 1, 4]))
    text = written(notebook, indent=indent, ascii_only=draw(st.booleans()))
    return text if draw(st.booleans()) else text.replace("\n", "\r\n")
