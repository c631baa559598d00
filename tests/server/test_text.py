"""A text, as the protocol counts it."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from lsprotocol import types as lsp

from torchlint.finding import Span
from torchlint.server.text import Text, edits_between

# What lines may end in, and what only Python takes for the end of one.
TEXTS = st.text(alphabet=st.sampled_from("ab é🎉\t\n\r\f\u2028\x1c"), max_size=40)
ENCODINGS = ("utf-8", "utf-16", "utf-32")


@given(text=TEXTS, data=st.data(), encoding=st.sampled_from(ENCODINGS))
def test_a_change_replaces_what_the_editor_means(text: str, data: st.DataObject, encoding: str) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    put = data.draw(TEXTS)
    # Nobody can point between the two characters of one newline.
    start, end = (at - 1 if text[at - 1 : at + 1] == "\r\n" else at for at in (start, end))

    range_ = lsp.Range(position(text, start, encoding), position(text, end, encoding))
    changed = Text(text, encoding).changed([lsp.TextDocumentContentChangePartial(range_, put)])

    assert changed.text == text[:start] + put + text[end:]


@given(text=TEXTS, data=st.data(), encoding=st.sampled_from(ENCODINGS))
def test_a_place_is_where_its_position_is(text: str, data: st.DataObject, encoding: str) -> None:
    lines = Text(text, encoding).plain.split("\n")
    line = data.draw(st.integers(1, len(lines)))
    column = data.draw(st.integers(1, len(lines[line - 1]) + 1))

    there = Text(text, encoding).range(Span(line, column, line, column))

    assert Text(text, encoding).place(there.start) == (line, column)


@given(before=TEXTS, after=TEXTS)
def test_edits_make_one_text_of_another(before: str, after: str) -> None:
    old, new = Text(before, "utf-8").plain, Text(after, "utf-8").plain
    edits = Text(old, "utf-8").text_edits(edits_between(old, new))

    text = Text(old, "utf-8")
    for one in reversed(edits):
        text = text.changed([lsp.TextDocumentContentChangePartial(one.range, one.new_text)])

    assert text.text == new


def test_a_mark_at_the_start_is_in_no_column_of_ours() -> None:
    text = Text("\ufeffx = 1\n", "utf-16")

    assert text.range(Span(1, 1, 1, 2)) == lsp.Range(lsp.Position(0, 1), lsp.Position(0, 2))
    assert text.place(lsp.Position(0, 1)) == (1, 1)


def test_what_is_beyond_the_end_is_at_the_end() -> None:
    text = Text("a\nbc", "utf-8")

    assert text.range(Span(9, 9, 9, 10)).start == lsp.Position(1, 2)
    assert (
        text.changed(
            [lsp.TextDocumentContentChangePartial(lsp.Range(lsp.Position(7, 0), lsp.Position(7, 3)), "!")]
        ).text
        == "a\nbc!"
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_change_without_a_range_is_the_whole_text(encoding: str) -> None:
    assert Text("a", encoding).changed([lsp.TextDocumentContentChangeWholeDocument("b")]).text == "b"


def position(text: str, offset: int, encoding: str) -> lsp.Position:
    """Return where an offset is, counted as the protocol says, one character after the other."""
    line = start = 0
    for index, character in enumerate(text[:offset]):
        if character == "\n" or (character == "\r" and text[index + 1 : index + 2] != "\n"):
            line, start = line + 1, index + 1
    code = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    return lsp.Position(line, len(text[start:offset].encode(code[0])) // code[1])
