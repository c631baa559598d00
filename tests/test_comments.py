"""Nothing but comments and empty lines is beside what a program says."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from torchlint.comments import bare, blanked, uncommented

_FIXTURES = Path(__file__).parents[1] / "fixtures"
_PROGRAMS = [path.read_text("utf-8") for path in sorted(_FIXTURES.glob("*/bad*.py"))]
_LINES = ["", "   ", "# a word", "    # it's", '# """', "x = '''", "'''", "\\", "x = '#'", "x = 1 \\"]


def _tree(text: str, *, places: bool = False) -> str | None:
    try:
        return ast.dump(ast.parse(text), include_attributes=places)
    except SyntaxError:
        return None


@given(st.sampled_from(_PROGRAMS))
def test_what_is_blank_stands_where_the_comments_did(text: str) -> None:
    code = blanked(text)

    assert len(code) == len(text)
    assert _tree(code, places=True) == _tree(text, places=True)
    kinds = {token.type for token in tokenize.generate_tokens(io.StringIO(code).readline)}
    assert tokenize.COMMENT not in kinds or (sys.version_info >= (3, 12) and not {"'", '"'}.isdisjoint(text))


@given(st.sampled_from(_PROGRAMS), st.lists(st.tuples(st.floats(0, 1), st.sampled_from(_LINES)), max_size=3))
def test_programs_that_are_the_same_when_bare_are_the_same(text: str, lines: list[tuple[float, str]]) -> None:
    other = text.split("\n")
    for where, line in lines:
        other.insert(int(where * len(other)), line)

    assert bare(text.encode()) != bare("\n".join(other).encode()) or _tree(text) == _tree("\n".join(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1\ny = 2\n", "x = 1  # one\n\n# two\ny = 2\n# three"),
        ("x = '#'  # one\n", "x = '#'\n"),
        ("if x:\n    y = 1\n", "if x:\n# one\n\n    y = 1\n"),
        ("x = (1,\n     2)\n", "x = (1,  # one\n\n     2)\n"),
    ],
)
def test_comments_and_empty_lines_make_no_difference(one: str, other: str) -> None:
    assert bare(one.encode()) == bare(other.encode())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"x = '# one'\n", b"x = '# two'\n"),
        (b"x = '''\n# one'''\n", b"x = '''\n# two'''\n"),
        (b"x = '''\n\n'''\n", b"x = '''\n'''\n"),
        (b"x = [1] \\\n\n[0]\n", b"x = [1] \\\n[0]\n"),
        (b"# coding: latin-1\nx = '\xe9'\n", b"# coding: cp437\nx = '\xe9'\n"),
        (b"x = 1  # \xe9\n", b"x = 1  # e\n"),
        (b"x = 1  # \0\n", b"x = 1  # 0\n"),
    ],
)
def test_everything_else_does(one: bytes, other: bytes) -> None:
    assert bare(one) != bare(other)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="an f-string could not hold its own quotes")
def test_what_looks_like_a_comment_in_an_f_string_is_none() -> None:
    one, other = (f'x = f"{{d["  #{word}"]}}"\n' for word in ("one", "two"))

    assert bare(one.encode()) != bare(other.encode())
    assert blanked(one) == one


@pytest.mark.parametrize(
    ("data", "left"),
    [
        (b"x = 1\n# one\n    # two\ny = 2\n", b"x = 1\ny = 2\n"),
        (b"x = 1\r\n# one\r\ny = 2\r\n", b"x = 1\r\ny = 2\r\n"),
        (b"x = '#'  # one\n", b"x = '#'  # one\n"),
        (b"x = 1\n# one", b"x = 1"),
    ],
)
def test_lines_of_comments_are_left_out(data: bytes, left: bytes) -> None:
    assert uncommented(data) == left
