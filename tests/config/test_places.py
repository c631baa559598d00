"""The position of every key and every value is found, in any spelling."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import assume, given, strategies as st

from torchlint.config.places import KeyPath, places
from torchlint.config.toml import parsed

WORD = st.text("ab-_1", min_size=1, max_size=3)
KEY = st.one_of(WORD, WORD.map(lambda word: f'"{word}.=[#"'), WORD.map(lambda word: f"'{word} ]'"))
GAP = st.sampled_from(["", " ", "\n", " # ] }, x = 1\n", "\n\t"])
BLANK = st.sampled_from(["", " ", "\t"])
SCALAR = st.sampled_from([
    "1", "0x1f", "1.5", "true", "1979-05-27 07:32:00", '"a"', '"a\\"]#"', "'a\\'", '"""a\n"b""c"""', '"""a\\""""',
    "'''a\n''b'''", '""', "''", '""""""', '"""a"""""', "'''''a'''", '"é"',
])  # fmt: skip


@st.composite
def arrays(draw: st.DrawFn, items: st.SearchStrategy[str]) -> str:
    parts = [f"{draw(GAP)}{item}{draw(GAP)}" for item in draw(st.lists(items, max_size=3))]
    tail = draw(st.sampled_from(["", ","])) if parts else ""
    return f"[{','.join(parts)}{tail}{draw(GAP)}]"


@st.composite
def inline_tables(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    members = draw(st.lists(st.tuples(KEY, values), max_size=3, unique_by=lambda member: member[0]))
    return "{" + ",".join(f"{draw(BLANK)}{key}{draw(BLANK)}={draw(BLANK)}{value} " for key, value in members) + "}"


VALUE = st.recursive(SCALAR, lambda inner: st.one_of(arrays(inner), inline_tables(inner)), max_leaves=6)


@st.composite
def assignments(draw: st.DrawFn) -> str:
    key = ".".join(draw(st.lists(KEY, min_size=1, max_size=3)))
    return f"{draw(BLANK)}{key}{draw(BLANK)}={draw(BLANK)}{draw(VALUE)}{draw(st.sampled_from(['', ' # x = [']))}"


@st.composite
def headers(draw: st.DrawFn) -> str:
    path = f"{draw(BLANK)}.{draw(BLANK)}".join(draw(st.lists(KEY, min_size=1, max_size=3)))
    return draw(st.sampled_from(["[{}]", "[ {} ] # [x]", "[[{}]]"])).format(path)


DOCUMENT = st.lists(st.one_of(assignments(), headers(), st.just("# a = 1"), st.just("")), max_size=8).map("\n".join)


def values(value: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, object]]:
    yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from values(member, (*path, key))


@given(DOCUMENT)
def test_what_stands_where_a_value_is_found_is_the_value(text: str) -> None:
    try:
        table = parsed(text)
    except ValueError:
        assume(False)

    at = places(text)

    for path, value in values(table):
        if path in at.values:
            stretch = at.values[path]
            assert parsed(f"x = {text[stretch.start : stretch.stop]}") == {"x": value}
        else:
            assert isinstance(value, (dict, list)), path


@given(DOCUMENT)
def test_what_stands_where_a_key_is_found_is_the_key(text: str) -> None:
    try:
        table = parsed(text)
    except ValueError:
        assume(False)

    at = places(text)

    for path, _ in values(table):
        if path and isinstance(path[-1], str) and not any(isinstance(part, int) for part in path):
            stretch = at.keys[path]
            assert parsed(f"{text[stretch.start : stretch.stop]} = 0") == {path[-1]: 0}


@pytest.mark.parametrize(
    ("text", "path", "place"),
    [
        ("a = 1\n[b]\na = 22", ("b", "a"), range(14, 16)),
        ("[a]\nb.c = [1, [2, 33]]", ("a", "b", "c", 1, 1), range(18, 20)),
        ("[[a]]\nb = 1\n[[a]]\nb = 2", ("a", 1, "b"), range(22, 23)),
        ("[[a]]\n[a.b]\nc = 1", ("a", 0, "b", "c"), range(16, 17)),
        ("a = { b = { c = '}' } }", ("a", "b", "c"), range(16, 19)),
    ],
)
def test_a_value_is_found(text: str, path: KeyPath, place: range) -> None:
    assert places(text).value(path) == place


def test_a_table_stands_where_its_name_does() -> None:
    assert places("[tool.torchlint.rules]\n").value(("tool", "torchlint", "rules")) == range(16, 21)


def test_a_value_that_is_not_there_stands_where_what_is_above_it_does() -> None:
    assert places("[a]\nb = 1").key(("a", "x", "y")) == range(1, 2)
