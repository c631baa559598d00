"""Frames, to the letter."""

from __future__ import annotations

from hypothesis import given, strategies as st

from tests.output.reports import flush
from torchlint.finding import Severity, Span
from torchlint.output.canvas import Canvas
from torchlint.output.frame import Mark, frame
from torchlint.terminal.style import Style

CALL = ["model = nn.DataParallel(", "    net,", "    device_ids=[0, 1],", ")", "train(model)", ""]


def drawn(lines: list[str], *marks: Mark, width: int | None = None) -> str:
    return "\n".join(frame(lines, marks, Canvas(Style(), 2, width))) + "\n"


def error(span: Span) -> Mark:
    return Mark(span, severity=Severity.ERROR)


def test_code_on_several_lines_has_a_bar_beside_it() -> None:
    text = drawn(CALL, error(Span(1, 9, 4, 2)))

    assert text == flush(
        """
           |
         1 |   model = nn.DataParallel(
           |  _________^
         2 | |     net,
         3 | |     device_ids=[0, 1],
         4 | | )
           | |_^
           |
        """
    )


def test_labels_inside_and_outside_of_a_tall_mark_line_up_with_their_code() -> None:
    labels = [
        Mark(Span(1, 1, 1, 6), "replaced"),
        Mark(Span(3, 16, 3, 22), "two GPUs"),
        Mark(Span(4, 1, 4, 2), "closed"),
        Mark(Span(5, 7, 5, 12), "used here"),
    ]

    text = drawn(CALL, error(Span(1, 9, 4, 2)), *labels)

    assert text == flush(
        """
           |
         1 |   model = nn.DataParallel(
           |  _________^
           | | ----- replaced
         2 | |     net,
         3 | |     device_ids=[0, 1],
           | |                ------ two GPUs
         4 | | )
           | |_^
           |   - closed
         5 |   train(model)
           |         ----- used here
           |
        """
    )


def test_more_than_six_lines_are_folded() -> None:
    lines = ["f(", *(f"    {number}," for number in range(8)), ")"]

    text = drawn(lines, error(Span(1, 1, 10, 2)))

    assert text == flush(
        """
           |
         1 |   f(
           |  _^
         2 | |     0,
         3 | |     1,
        ...
         9 | |     7,
        10 | | )
           | |_^
           |
        """
    )


def test_six_lines_are_shown_whole() -> None:
    assert "..." not in drawn(["f(", "", "", "", "", ")"], error(Span(1, 1, 6, 2)))


def test_two_marks_on_a_line_have_a_row_each() -> None:
    text = drawn(["for x in loader: x.item()"], error(Span(1, 18, 1, 26)), Mark(Span(1, 10, 1, 16), "the batches"))

    assert text == flush(
        """
           |
         1 | for x in loader: x.item()
           |                  ^^^^^^^^
           |          ------ the batches
           |
        """
    )


def test_an_empty_span_is_one_caret_wide() -> None:
    text = drawn(["x = (1,"], error(Span(1, 8, 1, 8)))

    assert text == flush(
        """
           |
         1 | x = (1,
           |        ^
           |
        """
    )


def test_a_span_that_ends_at_the_start_of_a_line_ends_with_the_line_before() -> None:
    text = drawn(["import os", "import re"], error(Span(1, 1, 2, 1)))

    assert text == flush(
        """
           |
         1 | import os
           | ^^^^^^^^^
           |
        """
    )


def test_a_tab_is_four_columns_and_a_wide_character_two() -> None:
    text = drawn(["\tname = '日本'; x.item()"], error(Span(1, 15, 1, 23)))

    assert text == flush(
        """
           |
         1 |     name = '日本'; x.item()
           |                    ^^^^^^^^
           |
        """
    )


def test_a_long_line_is_cut_around_the_caret_to_the_width() -> None:
    line = "x = " + "a + " * 30 + "loss.item()" + " + b" * 30

    text = drawn([line], error(Span(1, 125, 1, 136)), width=40)

    assert text == flush(
        """
           |
         1 | ... a + a + loss.item() + b + b ...
           |             ^^^^^^^^^^^
           |
        """
    )
    assert max(map(len, text.split("\n"))) <= 40


def test_a_long_line_is_whole_where_nothing_is_to_be_cut() -> None:
    line = "x = " + "a + " * 300 + "loss.item()"

    assert f" 1 | {line}\n" in drawn([line], error(Span(1, 1205, 1, 1216)))


@st.composite
def marked(draw: st.DrawFn) -> tuple[list[str], list[Mark]]:
    """Return lines and marks in them, any but the first of which may have come from elsewhere."""
    lines = draw(st.lists(st.text(max_size=30), min_size=1, max_size=12))
    marks = []
    for severity in (Severity.INFO, *draw(st.lists(st.none(), max_size=3))):
        line, column = draw(st.integers(1, len(lines))), draw(st.integers(1, 40))
        end_line, end_column = draw(st.integers(line, line + 8)), draw(st.integers(1, 40))
        marks.append(Mark(Span(line, column, end_line, end_column), draw(st.text(max_size=8)), severity))
    return lines, marks


@given(marked(), st.none() | st.integers(1, 60))
def test_any_span_can_be_drawn(drawing: tuple[list[str], list[Mark]], width: int | None) -> None:
    lines, marks = drawing

    text = drawn(lines, *marks, width=width)

    assert "^" in text
    assert all(f"{mark.span.line:>2} | " in text + " " for mark in marks if lines[mark.span.line - 1].strip())
    assert set(text.split("\n")[0]) <= set(" |")
