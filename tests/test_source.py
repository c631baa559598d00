"""Reading bytes as CPython reads them."""

from __future__ import annotations

import ast

import pytest

from torchlint.finding import Span
from torchlint.source import UnreadableSourceError, parse, read_source, translated

_SAVE = ": save it as UTF-8"
BOM = b"\xef\xbb\xbf"


def refusal(data: bytes) -> UnreadableSourceError:
    with pytest.raises(UnreadableSourceError) as caught:
        read_source("a.py", data)
    return caught.value


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("é = 1\n".encode(), "é = 1\n", "utf-8"),
        (BOM + b"x = 1\n", "x = 1\n", "utf-8-sig"),
        (BOM + b"# coding: utf-8\n", "# coding: utf-8\n", "utf-8-sig"),
        (BOM + b"# coding: UTF_8-unix\n", "# coding: UTF_8-unix\n", "utf-8-sig"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n", "iso8859-1"),
        (b"#!x\n# vim: set fileencoding=cp1252 :\n'\x80'\n", "#!x\n# vim: set fileencoding=cp1252 :\n'€'\n", "cp1252"),
        (b"x = 1\n# coding: latin-1\n'\xc3\xa9'\n", "x = 1\n# coding: latin-1\n'é'\n", "utf-8"),
        (b"\x0c# coding: latin-1\n'\xe9'\n", "\x0c# coding: latin-1\n'é'\n", "iso8859-1"),
        (b"# coding: utf-7\nx = '+AOQ-'\n", "# coding: utf-7\nx = 'ä'\n", "utf-7"),
        (b"# coding: idna\nx = 1\n", "# coding: idna\nx = 1\n", "idna"),
    ],
)  # fmt: skip
def test_the_declared_encoding_decodes(data: bytes, text: str, encoding: str) -> None:
    source = read_source("a.py", data)

    assert (source.text, source.encoding) == (text, encoding)


def test_emacs_may_name_the_newlines_behind_the_encoding() -> None:
    assert read_source("a.py", "# -*- coding: utf-8-unix -*-\n'é'\n".encode()).encoding == "utf-8"
    assert read_source("a.py", b"# -*- coding: latin-1-dos -*-\r\n'\xe9'\r\n").encoding == "iso8859-1"


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_every_newline_ends_a_line_and_is_read_as_one(newline: bytes) -> None:
    source = read_source("a.py", newline.join([b"#!x", b"# coding: latin-1", b"'\xe9'", b""]))

    assert source.text == "#!x\n# coding: latin-1\n'é'\n"


def test_what_looks_like_a_cookie_in_the_code_of_an_old_macintosh_is_none() -> None:
    assert read_source("a.py", b"# hello\rx = 'coding: klingon'\r").encoding == "utf-8"


def test_a_form_feed_starts_no_line() -> None:
    source = read_source("a.py", b"x = 1\n\x0c\ny = 2\n")

    assert ast.parse(source.text).body[1].lineno == 3


@pytest.mark.parametrize(
    ("cookie", "reason"),
    [
        ("klingon", "unknown encoding: klingon"),
        ("-", "unknown encoding: -"),
        (".os", "unknown encoding: .os"),
        ("aliases", "unknown encoding: aliases"),
        ("a" * 1_000, f"unknown encoding: {'a' * 59}…"),
        ("hex", "'hex' is not a text encoding"),
        ("rot13", "'rot-13' is not a text encoding"),
        ("bz2", "'bz2' is not a text encoding"),
        ("undefined", "cannot be decoded as undefined"),
    ],
)
def test_an_encoding_that_decodes_nothing_is_refused_where_it_is_named(cookie: str, reason: str) -> None:
    refused = refusal(f"#!/usr/bin/python\n# coding: {cookie}\nx = 1\n".encode())

    assert (refused.reason, refused.span) == (reason, Span(2, 11, 2, 11 + len(cookie)))


@pytest.mark.parametrize(("cookie", "shown"), [("latin-1", "iso-8859-1"), ("UTF8", "UTF8"), ("hex", "hex")])
def test_a_byte_order_mark_allows_no_other_encoding(cookie: str, shown: str) -> None:
    refused = refusal(BOM + f"# coding: {cookie}\n".encode())

    assert refused.reason == f"encoding problem: {shown} with BOM"
    assert refused.span == Span(1, 11, 1, 11 + len(cookie))


@pytest.mark.parametrize(
    ("data", "reason", "span"),
    [
        (b"x = '\xe9'\n", "not valid UTF-8: byte 0xe9 at line 1, column 6" + _SAVE, Span(1, 6, 1, 7)),
        ("é = '".encode() + b"\xff'\n", "not valid UTF-8: byte 0xff at line 1, column 6" + _SAVE, Span(1, 6, 1, 7)),
        (b"x = 1\r\n'\xe9'\r\n", "not valid UTF-8: byte 0xe9 at line 2, column 2" + _SAVE, Span(2, 2, 2, 3)),
        (BOM + b"x = '\xe9'\n", "not valid UTF-8: byte 0xe9 at line 1, column 6" + _SAVE, Span(1, 6, 1, 7)),
        (b"# coding: ascii\n'\xe9'\n", "not valid ascii: byte 0xe9 at line 2, column 2", Span(2, 2, 2, 3)),
        (b"# coding: gbk\n'\x81\x40\x81'\n", "not valid gbk: byte 0x81 at line 2, column 3", Span(2, 3, 2, 4)),
        (b"x = 1\ny = \0\n", "source code cannot contain null bytes", Span(2, 5, 2, 6)),
        (BOM + b"\0", "source code cannot contain null bytes", Span(1, 1, 1, 2)),
        (b"# coding: hex\n\0", "source code cannot contain null bytes", Span(2, 1, 2, 2)),
        ("x = 1\n".encode("utf-16"), "not valid UTF-8 but UTF-16: save it as UTF-8", Span(1, 1, 1, 2)),
        ("x = 1\n".encode("utf-16-be"), "source code cannot contain null bytes", Span(1, 1, 1, 2)),
    ],
)  # fmt: skip
def test_bytes_that_are_no_text_are_refused_where_they_stand(data: bytes, reason: str, span: Span) -> None:
    refused = refusal(data)

    assert (refused.reason, refused.span) == (reason, span)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"# coding: utf-7\nx = '+2AA-'\n", "not valid utf-7: surrogates not allowed"),
        (b"# coding: unicode_escape\n\\ud800\n", "not valid unicode-escape: surrogates not allowed"),
        (b"# coding: unicode_escape\n\\x00\n", "source code cannot contain null bytes"),
    ],
)
def test_characters_that_only_odd_encodings_spell_are_refused(data: bytes, reason: str) -> None:
    assert refusal(data).reason == reason


def unparsed(text: str) -> str:
    with pytest.raises(UnreadableSourceError) as caught:
        parse(read_source("a.py", text.encode()))
    return caught.value.reason


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("x = y.cuda(async=True)\n", "use `non_blocking`"),
        ("x = y.cuda(\n    0, async = True)\n", "use `non_blocking`"),
        ("def f(x, async=False): pass\n", "rename it"),
        ("x = y.cuda(0)\nf(x, async=True)\n", "rename it"),
        ("async = 1\n", "rename it"),
    ],
)
def test_a_name_that_became_a_keyword_is_told_of(text: str, advice: str) -> None:
    assert unparsed(text) == f"`async` is a keyword since Python 3.7: {advice}"


@pytest.mark.parametrize("text", ["print 1, y(async=True)\n", "async == 1\n", "x = 'async=1\n"])
def test_whatever_else_stops_python_is_told_in_its_own_words(text: str) -> None:
    assert "async" not in unparsed(text)


def test_in_a_source_for_others_every_place_stays() -> None:
    source = read_source("a.py", b"def f(x, async=False):\n    g(async == 1, x(async=async_)).h\n")

    renamed = translated(source)

    assert renamed is not None
    assert renamed.text == "def f(x, _sync=False):\n    g(async == 1, x(_sync=async_)).h\n"
    assert renamed.is_translated
    assert renamed.data == source.data


def test_a_source_without_such_a_name_has_no_other() -> None:
    assert translated(read_source("a.py", b"async def f():\n    print(1)\n")) is None


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("print x, y\n", "print,x, y\n"),
        ('if x:\n\tprint  "a %d" % x; print y\n', 'if x:\n\tprint, "a %d" % x; print,y\n'),
        ("if x: print {1: y}\n", "if x: print,{1: y}\n"),
        ("print >>f, x\nprint f\n", "print >>f, x\nprint,f\n"),
        ("print (x), y\nprint f\n", "print (x), y\nprint,f\n"),
    ],
)
def test_a_print_without_parentheses_is_a_tuple_for_others(text: str, renamed: str) -> None:
    source = translated(read_source("a.py", text.encode()))

    assert source is not None
    assert source.text == renamed
    assert parse(source)


@pytest.mark.parametrize("text", ["x = print if y else z\n", "print(x)\n", "print = 1\n", "print\n", "reprint x\n"])
def test_other_uses_of_print_stay(text: str) -> None:
    assert translated(read_source("a.py", text.encode())) is None
