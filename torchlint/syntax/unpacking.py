"""What each part of a target takes: `a, b = x, y`, `b, c, device = *x.shape, x.device`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TypeAlias

from torchlint.syntax.arguments import has_star
from torchlint.syntax.scope import BindingKind, Selector

Part: TypeAlias = "tuple[ast.expr, ast.expr | None, Selector]"
"""A part of a target, the value that it takes something of, and what it takes."""


def parts_of(targets: list[ast.expr], kind: BindingKind, value: ast.expr | None, selector: Selector) -> Iterator[Part]:
    """Pair the parts of a target with what they take; `a, b = x, y` is two plain assignments."""
    if kind == "assign" and not selector and isinstance(value, (ast.Tuple, ast.List)):
        yield from _paired(targets, value)
        return
    for position, target in enumerate(targets):
        yield target, value, selector if isinstance(target, ast.Starred) else (*selector, position)


def _paired(targets: list[ast.expr], display: ast.Tuple | ast.List) -> Iterator[Part]:
    """Pair targets with the values of a display, from both ends up to a star."""
    values = display.elts
    front = _plain(zip(targets, values, strict=False))
    start = len(front)
    back = _plain(zip(reversed(targets[start:]), reversed(values[start:]), strict=False))
    for target, value in (*front, *reversed(back)):
        yield target, value, ()
    middle = values[start : len(values) - len(back)]
    whole: ast.expr = display
    if len(middle) == 1 and isinstance(middle[0], ast.Starred):
        whole, start = middle[0].value, 0
    for position, target in enumerate(targets[len(front) : len(targets) - len(back)], start):
        yield target, whole, () if isinstance(target, ast.Starred) else (position,)


def _plain(pairs: Iterable[tuple[ast.expr, ast.expr]]) -> list[tuple[ast.expr, ast.expr]]:
    """Return the pairs before the first star."""
    return list(takewhile(lambda pair: not has_star(pair), pairs))


def assigned_pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what is assigned to what: each part of `a, b = x, y` by itself, else the target with the whole value."""
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            yield from zip(targets, values, strict=True)
        case _:
            yield target, value


def unpacked_into(statement: ast.stmt, value: ast.expr | None) -> int | None:
    """Return how many parts an assignment unpacks its value into, None if it does not or a star takes any number."""
    if not isinstance(statement, ast.Assign) or statement.value is not value:
        return None
    parts = [target.elts for target in statement.targets if isinstance(target, (ast.Tuple, ast.List))]
    return len(parts[0]) if len(parts) == 1 and not has_star(parts[0]) else None
