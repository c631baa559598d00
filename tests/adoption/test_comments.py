"""Comments are written where they change nothing but what is reported."""

from __future__ import annotations

import ast
import sys

import pytest
from hypothesis import given, settings, strategies as st

from tests.adoption.reports import found
from torchlint.adoption import CannotIgnoreError, with_ignores
from torchlint.suppression import suppress

_NAMES = {"kept-graph", "unsafe-load", "sync"}


def ignored(text: str, *lines: int, rule: str = "kept-graph", reason: str = "") -> str:
    """Return a text with the findings on some lines ignored."""
    findings = [found("a.py", line, rule) for line in lines]
    return with_ignores("a.py", text.encode(), findings, reason).after.decode()


@pytest.mark.parametrize(
    ("text", "line", "after"),
    [
        ("x += y\n", 1, "x += y  # torchlint: ignore[kept-graph]\n"),
        ("x += y", 1, "x += y  # torchlint: ignore[kept-graph]"),
        ("x += y   \n", 1, "x += y  # torchlint: ignore[kept-graph]\n"),
        ("x += y  # type: ignore\n", 1, "x += y  # type: ignore  # torchlint: ignore[kept-graph]\n"),
        ("x = '''\n# no\n''' + f()\n", 1, "x = '''\n# no\n''' + f()  # torchlint: ignore[kept-graph]\n"),
        ("x = f(  \n  '''\n''', a,\n)\n", 2, "x = f(  \n  '''\n''', a,\n)  # torchlint: ignore[kept-graph]\n"),
        ("x = f(\n  a,\n  b,\n)\n", 2, "x = f(\n  a,  # torchlint: ignore[kept-graph]\n  b,\n)\n"),
        ("x = a + \\\n    b\n", 1, "x = a + \\\n    b  # torchlint: ignore[kept-graph]\n"),
        ("for x in (a,\n  b): pass\n", 2, "for x in (a,\n  b): pass  # torchlint: ignore[kept-graph]\n"),
        ("@f(a)\ndef g(): pass\n", 1, "@f(a)  # torchlint: ignore[kept-graph]\ndef g(): pass\n"),
        ("a; b; c\n", 1, "a; b; c  # torchlint: ignore[kept-graph]\n"),
    ],
)
def test_the_comment_stands_at_the_finding_or_else_at_the_end_of_its_statement(
    text: str, line: int, after: str
) -> None:
    assert ignored(text, line) == after


def test_a_comment_that_ignores_already_takes_the_name_in() -> None:
    behind = ignored("x  # torchlint: ignore[unsafe-load] why\n", 1)
    above = ignored("# torchlint: ignore[unsafe-load]\nx = f(\n    a,\n)\n", 3)

    assert behind == "x  # torchlint: ignore[unsafe-load, kept-graph] why\n"
    assert above == "# torchlint: ignore[unsafe-load, kept-graph]\nx = f(\n    a,\n)\n"


def test_a_statement_gets_one_comment_for_all_its_findings() -> None:
    findings = [found("a.py", 2), found("a.py", 3, "unsafe-load"), found("a.py", 3)]

    done = with_ignores("a.py", b"x = f(\n  a,\n  b,\n)\n", findings, "since 2019")

    assert done.after == b"x = f(\n  a,  # torchlint: ignore[kept-graph, unsafe-load] since 2019\n  b,\n)\n"
    assert done.findings == 3


def test_what_has_no_rule_is_not_ignored() -> None:
    findings = [found("a.py", 1, "unused-ignore"), found("a.py", 1, "unreadable-source")]

    assert with_ignores("a.py", b"x\n", findings).findings == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\xef\xbb\xbfx += y\r\nz\r\n", b"\xef\xbb\xbfx += y  # torchlint: ignore[kept-graph]\r\nz\r\n"),
        (b"# coding: latin-1\nx += '\xe9'\n", b"# coding: latin-1\nx += '\xe9'  # torchlint: ignore[kept-graph]\n"),
        (b"x = 1\rx += y\rz", b"x = 1\rx += y  # torchlint: ignore[kept-graph]\rz"),
    ],
)
def test_every_other_byte_stays_as_it_is(before: bytes, after: bytes) -> None:
    line = next(number for number, line in enumerate(before.splitlines(), 1) if b"+=" in line)

    assert with_ignores("a.py", before, [found("a.py", line)]).after == after


def test_a_reason_that_the_file_cannot_hold_is_refused() -> None:
    with pytest.raises(CannotIgnoreError, match="cannot be written in iso8859-1"):
        with_ignores("a.py", b"# coding: latin-1\nx\n", [found("a.py", 2)], "深い")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="no code of an older Python has it")
def test_within_a_string_with_code_in_it_nothing_is_written() -> None:
    text = 'x = f"""{\nf(\n    a)\n}"""\n'

    assert ignored(text, 2) == f"{text[:-1]}  # torchlint: ignore[kept-graph]\n"


_PIECES = st.sampled_from([
    "x = 1\n",
    "x = f(\n    a,\n    '''b\n# c''', # d\n    e)\n",
    "x = a + \\\n    b\n",
    "if a: b = '''\n'''; c\n",
    "for x in (a,\n   b):\n    c  # torchlint: ignore[unsafe-load] d\n",
    "@f\n@g(\n    a)\ndef h(a,\n      b=1): # type: ignore\n    '''a\n    b'''\n    return a\n",
    "# torchlint: ignore[unsafe-load]\n# more\n\nx = [\n  1,\n]\n",
    "class A(B):\n    x: int = '\\\n'\n\n",
    'x = f"""{a}\n{b!r:>{c}}\n"""\n',
    "with a as b, \\\n     c as d:\n    pass; pass\n",
    "x = 'é' # torchlint: ignore[]\n",
    "\x0cx\t\n",
])  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(st.lists(_PIECES, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]), st.data())
def test_whatever_the_statement_its_finding_is_silenced_and_the_second_time_nothing_is_left(
    pieces: list[str], newline: str, data: st.DataObject
) -> None:
    text = "".join(pieces)
    lines = sorted({node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.stmt, ast.expr))})
    findings = [found("a.py", line) for line in data.draw(st.lists(st.sampled_from(lines), min_size=1, unique=True))]

    after = with_ignores("a.py", text.replace("\n", newline).encode(), findings).after.decode()

    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(text))
    assert after.count(newline) == text.count("\n")
    left, suppressed = suppress("a.py", after.replace("\r\n", "\n"), findings, _NAMES, {"kept-graph"})
    assert suppressed == len(findings)
    assert not [one for one in left if one.rule == "kept-graph" or "kept-graph" in one.message]
