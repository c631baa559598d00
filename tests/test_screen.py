"""Nothing that a terminal would obey gets through, and what is underlined is where the underline is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given, strategies as st

from torchlint.terminal.text import ELLIPSIS, LONGEST, encodable, len_on_screen, printable, row

LINE = st.text(st.characters(exclude_characters="\n"), max_size=60)
WIDTH = st.integers(12, 80)


@st.composite
def focused(draw: st.DrawFn) -> tuple[str, int, int]:
    line = draw(LINE)
    start = draw(st.integers(0, len(line)))
    return line, start, draw(st.integers(start, len(line)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("\x1b[2J", "␛[2J"),
        ("a\tb\r\nc\x7f", "a␉b␍␊c␡"),
        ("\x9b31m", "\ufffd31m"),
        ("if admin\u202e\u2066", "if admin\ufffd\ufffd"),
        ("name\udcff.py", "name\ufffd.py"),
        ("日本 🎉 é", "日本 🎉 é"),
    ],
)
def test_what_a_terminal_would_obey_becomes_visible(text: str, expected: str) -> None:
    assert printable(text) == expected


@given(st.text())
def test_a_printable_text_keeps_its_length_and_controls_nothing(text: str) -> None:
    shown = printable(text)

    assert len(shown) == len(text)
    assert not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in shown)
    assert not any(
        unicodedata.bidirectional(character) in {"RLO", "LRO", "RLI", "LRI", "PDF", "PDI"} for character in shown
    )


@given(st.text())
def test_an_encodable_text_can_be_written_anywhere(text: str) -> None:
    encodable(text).encode("utf-8")


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ("    x.item()", "x.item()", 4),
        ("\tx.item()", "x.item()", 4),
        ("ab\tx.item()", "x.item()", 4),
        ("日本 = x.item()", "x.item()", 7),
        ("'🎉', x.item()", "x.item()", 6),
        ("e\u0301 = x.item()", "x.item()", 4),
        ("\x0cx.item()", "x.item()", 1),
    ],
)
def test_code_is_found_below_what_stands_before_it(line: str, code: str, column: int) -> None:
    start = line.index(code)

    shown = row(line, start, start + len(code))

    assert shown.stretch(start, start + len(code)) == range(column, column + len(code))


@given(focused())
def test_a_whole_line_puts_each_character_where_the_ones_before_it_end(line: tuple[str, int, int]) -> None:
    text, start, end = line

    shown = row(text, start, end)

    assert shown.stretch(start, end).start == len_on_screen(row(text[:start]).text)
    assert shown.stretch(len(text), len(text)).start == len_on_screen(shown.text)


@given(focused(), WIDTH)
def test_a_cut_line_fits(line: tuple[str, int, int], width: int) -> None:
    text, start, end = line

    assert len_on_screen(row(text, start, end, width).text) <= width


@given(focused(), WIDTH)
def test_a_cut_line_still_shows_where_the_focus_begins(line: tuple[str, int, int], width: int) -> None:
    text, start, end = line
    assume(start < end and len_on_screen(printable(text[start])) == 1 and text[start] != "\t")

    shown = row(text, start, end, width)
    column = shown.stretch(start, end).start

    before = next(index for index in range(len(shown.text) + 1) if len_on_screen(shown.text[:index]) == column)
    assert printable(text[start]) in shown.text[before:]
    assert shown.stretch(start, end).stop <= max(column + 1, len_on_screen(shown.text))


def test_a_long_line_is_cut_on_both_sides() -> None:
    line = "a" * 50 + "target" + "b" * 50

    shown = row(line, 50, 56, 26)

    assert shown.text == "...aaaaaaatargetbbbbbbb..."
    assert shown.stretch(50, 56) == range(10, 16)


def test_a_line_is_marked_as_cut_where_combining_marks_fill_no_column() -> None:
    assert row("e" + "\u0301" * 100 + "tail", 0, 1, 20).text.endswith(ELLIPSIS)


def test_a_line_that_is_short_enough_is_not_cut() -> None:
    line = "x" * 80

    assert row(line, 79, 80, 80).text == line


def test_what_is_longer_than_anybody_writes_is_cut_even_without_a_width() -> None:
    line = "é" * 3_000_000 + "target" + "é" * 3_000_000

    shown = row(line, 3_000_000, 3_000_006)

    assert len(shown.text) <= LONGEST
    assert shown.text.startswith(ELLIPSIS)
    assert shown.text.endswith(ELLIPSIS)
    stretch = shown.stretch(3_000_000, 3_000_006)
    assert shown.text[stretch.start : stretch.stop] == "target"
