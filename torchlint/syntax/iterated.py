"""What loops go through, by what they are written as: `loader` in `for i, x in enumerate(tqdm(loader))`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from torchlint.syntax.last_names import callee_name

Selector: TypeAlias = "tuple[int | None, ...]"
"""Which part of each item: `(1,)` for `x` in `for i, x in …`."""

SHOWING = frozenset({"tqdm", "track"})
"""Progress bars, which go through something as it is: their last names."""
_SAME_ITEMS = SHOWING | {"iter", "list", "reversed", "sorted", "tuple"}


def items_of(iterable: ast.expr, selector: Selector) -> tuple[ast.expr, Selector]:
    """Return what some part of each item of an iterable is a part of the items of."""
    if not isinstance(iterable, ast.Call) or not iterable.args:
        return iterable, selector
    match callee_name(iterable), selector:
        case ("enumerate", (1, *rest)):
            return items_of(iterable.args[0], tuple(rest))
        case ("zip", (int(position), *rest)) if position < len(iterable.args):
            return items_of(iterable.args[position], tuple(rest))
        case (name, _) if name in _SAME_ITEMS:
            return items_of(iterable.args[0], selector)
        case _:
            return iterable, selector


def shown(iterable: ast.expr) -> ast.expr:
    """Return what a progress bar goes through, or the iterable itself."""
    while isinstance(iterable, ast.Call) and callee_name(iterable) in SHOWING and iterable.args:
        iterable = iterable.args[0]
    return iterable


def sources_of(iterable: ast.expr) -> Iterator[ast.expr]:
    """Yield all that is gone through: each argument of `zip`, what `enumerate` numbers."""
    if isinstance(iterable, ast.Call) and callee_name(iterable) in _SAME_ITEMS | {"enumerate", "zip"}:
        for argument in iterable.args:
            yield from sources_of(argument)
    else:
        yield iterable
