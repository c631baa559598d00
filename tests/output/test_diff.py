"""What a fix would change, to the letter."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, strategies as st

from tests.output.reports import flush
from torchlint.finding import Edit, Span
from torchlint.output.canvas import Canvas
from torchlint.output.diff import diff, hunks
from torchlint.terminal.style import Style


def drawn(source: str, *edits: Edit, width: int | None = None) -> str:
    return "\n".join(diff(source.split("\n"), edits, Canvas(Style(), 2, width))) + "\n"


def test_an_edit_shows_the_line_before_and_after() -> None:
    text = drawn("a = 1\nb = a.cuda()\n", Edit(Span(2, 5, 2, 13), "a.to(device)"))

    assert text == flush(
        """
           |
           - b = a.cuda()
         2 + b = a.to(device)
           |
        """
    )


def test_an_inserted_line_takes_none_away_and_moves_the_numbers_below() -> None:
    source = "import torch\nx = 1\ny = 2\nz = f().cuda()\n"

    text = drawn(source, Edit(Span(4, 8, 4, 15), ".to(device)"), Edit(Span(2, 1, 2, 1), "device = pick()\n\n"))

    assert text == flush(
        """
           |
         2 + device = pick()
         3 +
        ...
           - z = f().cuda()
         6 + z = f().to(device)
           |
        """
    )


def test_a_deleted_line_leaves_nothing() -> None:
    text = drawn("a = 1\ntorch.cuda.empty_cache()\nb = 2\n", Edit(Span(2, 1, 3, 1), ""))

    assert text == flush(
        """
           |
           - torch.cuda.empty_cache()
           |
        """
    )


def test_edits_of_one_line_are_one_change() -> None:
    text = drawn("a.cuda(), b.cuda()\n", Edit(Span(1, 11, 1, 19), "b.to(d)"), Edit(Span(1, 1, 1, 9), "a.to(d)"))

    assert text == flush(
        """
           |
           - a.cuda(), b.cuda()
         1 + a.to(d), b.to(d)
           |
        """
    )


def test_a_line_can_be_added_at_the_end_of_a_file() -> None:
    text = drawn("a = 1\n", Edit(Span(2, 1, 2, 1), "b = 2\n"))

    assert text == flush(
        """
           |
         2 + b = 2
           |
        """
    )


def test_a_line_can_be_added_where_the_last_line_is_not_ended() -> None:
    assert list(diff(["a = 1"], [Edit(Span(2, 1, 2, 1), "b = 2\n")], Canvas(Style(), 2))) == [
        "   |",
        " 2 + b = 2",
        "   |",
    ]


def test_a_large_change_is_folded() -> None:
    text = drawn("old\n", Edit(Span(1, 1, 1, 4), "\n".join(f"new {number}" for number in range(9))))

    assert text == flush(
        """
           |
           - old
         1 + new 0
         2 + new 1
         3 + new 2
        ...
         8 + new 7
         9 + new 8
           |
        """
    )


def test_a_long_line_is_cut_around_the_change() -> None:
    source = "x = " + "a + " * 30 + "y.cuda()" + " + b" * 30

    text = drawn(source, Edit(Span(1, 125, 1, 133), "y.to(d)"), width=40)

    assert text == flush(
        """
           |
           - ...+ a + a + a + y.cuda() + b + ...
         1 + ...+ a + a + a + y.to(d) + b + b...
           |
        """
    )


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[str], list[Edit]]:
    """Return lines and edits of them that do not overlap, in any order."""
    lines = draw(st.lists(st.text("ab日 ", max_size=8), min_size=1, max_size=8))
    places = [(line, column) for line, text in enumerate(lines, 1) for column in range(1, len(text) + 2)]
    chosen = sorted(draw(st.lists(st.sampled_from(places), max_size=8, unique=True)))
    spans = [Span(*start, *end) for start, end in zip(chosen[::2], chosen[1::2], strict=False)]
    edits = [Edit(span, draw(st.text("cd\n", max_size=5))) for span in spans]
    return lines, draw(st.permutations(edits))


def made(lines: Sequence[str], edits: Sequence[Edit]) -> list[str]:
    """Return the lines that the edits leave, found the plain way: character by character."""
    places = [(number, column) for number, line in enumerate(lines, 1) for column in range(1, len(line) + 2)]
    text = "\n".join(lines)
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        start = places.index((edit.span.line, edit.span.column))
        end = places.index((edit.span.end_line, edit.span.end_column))
        text = text[:start] + edit.text + text[end:]
    return text.split("\n")


@given(edited())
def test_making_the_changes_shown_makes_the_edited_text(change: tuple[list[str], list[Edit]]) -> None:
    lines, edits = change
    patched = list(lines)

    for hunk in reversed(list(hunks(lines, edits))):
        first = hunk.line - 1
        assert patched[first : first + len(hunk.removed)] == list(hunk.removed)
        patched[first : first + len(hunk.removed)] = hunk.added

    assert patched == made(lines, edits)
