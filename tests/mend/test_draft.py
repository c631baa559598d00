"""Edits leave every byte alone that they do not name."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from torchlint.finding import Edit, Span
from torchlint.fixing.draft import CannotBeKeptError, Draft


def inserted(line: int, column: int, text: str) -> Edit:
    return Edit(Span(line, column, line, column), text)


@pytest.mark.parametrize(
    ("data", "edit", "wanted"),
    [
        (b"a = 1\r\nb = 2\r\n", inserted(2, 5, "3 + "), b"a = 1\r\nb = 3 + 2\r\n"),
        (b"a = 1\r\nb = 2", inserted(2, 6, "\nc = 3"), b"a = 1\r\nb = 2\r\nc = 3"),
        (b"a = 1\nb = 2\r\nc = 3\n", inserted(2, 1, "x = 0\n"), b"a = 1\nx = 0\r\nb = 2\r\nc = 3\n"),
        (b"a = 1\rb = 2\r", inserted(2, 5, "-"), b"a = 1\rb = -2\r"),
        (b"\xef\xbb\xbfa = 1\n", inserted(1, 5, "-"), b"\xef\xbb\xbfa = -1\n"),
        (b"# coding: latin-1\na = '\xe9'; b = 1\n", inserted(2, 14, "-"), b"# coding: latin-1\na = '\xe9'; b = -1\n"),
        ("a = '日本🎉'; b = 1\n".encode(), inserted(1, 16, "-"), "a = '日本🎉'; b = -1\n".encode()),
        (b"a = 1\n\x0c\nb = 2\n", inserted(3, 5, "-"), b"a = 1\n\x0c\nb = -2\n"),
        (b"a = 1", inserted(1, 5, "-"), b"a = -1"),
    ],
    ids=["crlf", "last line", "mixed", "cr", "bom", "latin-1", "wide", "form feed", "no newline"],
)
def test_newlines_encoding_and_mark_stay(data: bytes, edit: Edit, wanted: bytes) -> None:
    assert Draft("a.py", data).edited([edit]) == wanted


@given(st.text("ab日é\t \x0c\r\n", max_size=40), st.booleans())
def test_a_draft_without_edits_is_what_it_was(text: str, marked: bool) -> None:
    data = (b"\xef\xbb\xbf" if marked else b"") + text.encode()

    assert Draft("a.py", data).edited([]) == data


def test_the_same_edit_is_made_once() -> None:
    assert Draft("a.py", b"a\n").edited([inserted(1, 1, "import copy\n"), inserted(1, 1, "import copy\n")]) == (
        b"import copy\na\n"
    )


def test_edits_of_the_same_text_are_refused() -> None:
    edits = [Edit(Span(1, 1, 1, 4), "x"), Edit(Span(1, 3, 1, 5), "y")]

    with pytest.raises(ValueError, match="same text"):
        Draft("a.py", b"abcdef\n").edited(edits)


def test_what_the_encoding_has_no_room_for_is_refused() -> None:
    with pytest.raises(CannotBeKeptError, match="iso8859-1"):
        Draft("a.py", b"# coding: latin-1\na = 1\n").edited([inserted(2, 5, "日")])
