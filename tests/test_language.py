"""Comments and docstrings use the words of compilers and of PyTorch's documentation, and none of this project's own."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rules.test_words import HOUSE_WORDS

_CHECKOUT = Path(__file__).parents[1]
_FILES = sorted(path for folder in ("torchlint", "rules") for path in (_CHECKOUT / folder).rglob("*.py"))
# In docstrings a predicate opens with "Tell whether"; pages of rules are held to their own list.
_FINE_IN_CODE = {
    r"told( of)?|tells?",
    r"rounds?",
    r"(?<!created )(?<!creates )anew",
    r"as \w+ do(es)?\b(?! (not|what))",
}
_OF_CODE = {
    r"told|tells? of": "reported, distinguished, Return",
    r"rounds": "iterations",
    r"is come to|come by": "reached",
    r"(?<!created )(?<!creates )anew": "again",
    r"circles?|hops": "cycle, call depth",
    r"elders?": "earlier statement",
    r"on the way (there|to)|the way there": "on the path",
    r"what lies|lies? behind": "after, under the test",
    r"hand(s|ed)? (on|out)": "pass on",
    r"(?<!known )for sure": "surely",
}
_HOUSE = re.compile(rf"\b({'|'.join([*(HOUSE_WORDS.keys() - _FINE_IN_CODE), *_OF_CODE])})\b", re.IGNORECASE)
# Quoted code, examples, and marks for ruff.
_CODE = re.compile(r"`[^`]*`|^ {4}.*|\bnoqa\b.*", re.MULTILINE)


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.relative_to(_CHECKOUT).as_posix())
def test_a_comment_has_no_house_words(path: Path) -> None:
    assert [(line, found[0]) for line, text in _prose_of(path) for found in _HOUSE.finditer(_CODE.sub("", text))] == []


def _prose_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments and docstrings of a file, attributes' included, by their lines."""
    source = path.read_text("utf-8")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, inspect.cleandoc(text)
