"""Lay a program out in another way that means the same."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from random import Random

_GAPS = (" ", "  ", "\n", "\n\t", "\n        ", '  # why ( not, "so"\n', "\n\n    ", " \\\n ")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_PLAIN_TEXT = re.compile(r'"[^"\'\\]*"')


@dataclass(frozen=True, slots=True)
class Layout:
    """How a program is laid out: the white space inside brackets at random, the rest throughout."""

    seed: int
    density: float
    indent: str
    newline: str
    mark: bytes
    quote: str
    has_trailing_commas: bool
    has_last_newline: bool


def laid_out(text: str, layout: Layout) -> bytes:
    """Return a program in another layout."""
    made = "".join(_pieces(text, layout, Random(layout.seed)))
    if not layout.has_last_newline:
        made = made.rstrip("\n")
    assert ast.dump(ast.parse(made)) == ast.dump(ast.parse(text))
    return layout.mark + made.replace("\n", layout.newline).encode()


def _pieces(text: str, layout: Layout, random: Random) -> list[str]:
    calls = _ends_of_calls(text) if layout.has_trailing_commas else frozenset()
    pieces: list[str] = []
    depth = in_text = 0
    at, last = (1, 0), ""
    lines = text.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        before = _between(lines, at, token.start)
        name = tokenize.tok_name[token.type]
        if name in {"INDENT", "DEDENT", "ENDMARKER"}:
            continue
        at = token.end
        in_text += (name == "FSTRING_START") - (name == "FSTRING_END")
        if token.string in _CLOSING and not in_text:
            depth -= 1
            if token.end in calls and last != ",":
                pieces.append(",")
        is_free = (depth > 0 or token.string in _CLOSING) and not _is_one_name(last, token.string)
        if is_free and not in_text and not before.strip() and random.random() < layout.density:
            # A comment in an empty call would keep its author from leaving that out.
            gap = random.choice(_GAPS)
            pieces.append(" " if last + token.string == "()" and "#" in gap else gap)
        pieces.append(_indented(before, layout.indent) if token.start[1] == len(before) else before)
        pieces.append(_quoted(token.string, layout.quote) if name == "STRING" else token.string)
        depth += token.string in _OPENING and not in_text
        last = last if name in {"NL", "COMMENT"} else token.string
        if name == "NEWLINE" and random.random() < layout.density / 2:
            pieces[-1] = "  # remark\n"
        if name == "NL" and depth == 0 and token.line == "\n" and random.random() < layout.density:
            pieces.append("\x0c\n")
    return pieces


def _is_one_name(last: str, word: str) -> bool:
    """Tell whether two tokens belong to a name, a call and its name, or an empty list, which no layout separates."""
    return last == "." or word == "(" or (word == "." and last not in _CLOSING) or last + word in {"[]", "{}"}


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]] if start[0] <= len(lines) else ""
    between = lines[start[0] - 1][start[1] :], *lines[start[0] : end[0] - 1]
    return "".join((*between, lines[end[0] - 1][: end[1]] if end[0] <= len(lines) else ""))


def _indented(space: str, unit: str) -> str:
    return unit * (len(space) // 4) + " " * (len(space) % 4) if space.strip(" ") == "" else space


def _quoted(text: str, quote: str) -> str:
    return f"{quote}{text[1:-1]}{quote}" if _PLAIN_TEXT.fullmatch(text) and text != '""' else text


def _ends_of_calls(text: str) -> frozenset[tuple[int, int]]:
    """Return where the calls end that may have a comma after their last argument."""
    lines = text.splitlines()
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    plain = [
        call
        for call in calls
        if (call.args or call.keywords) and not any(isinstance(one, ast.GeneratorExp) for one in call.args)
    ]
    ends = [(call.end_lineno or 0, call.end_col_offset or 0) for call in plain]
    return frozenset((line, len(lines[line - 1].encode()[:column].decode())) for line, column in ends)
