"""Tests that only check whether a device is known at all: `assert device in ("cpu", "cuda")`.

They pass for the host as well as for CUDA, and so are no guard.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.containers.displays import elements_of
from torchlint.model.values.value_sets import Literal
from torchlint.pytorch.device_arguments import HOST_AND_CUDA
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def holds_for_both(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a test has the same outcome for the host and for CUDA."""
    kinds: dict[str, set[str]] = {}
    for asked, name in _let_by(ev, test, holds):
        kinds.setdefault(written(asked), set()).add(name.partition(":")[0])
    return any(named.issuperset(HOST_AND_CUDA) for named in kinds.values())


def _let_by(ev: Evaluator, test: Place, holds: bool) -> Iterator[tuple[ast.expr, str]]:
    """Yield what a test reads, and the names of devices for which it has this outcome."""
    match test.expression:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _let_by(ev, test.at(operand), not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is not holds:
            for value in values:
                yield from _let_by(ev, test.at(value), holds)
        case ast.Compare(left=asked, ops=[ast.Eq() | ast.NotEq() as op], comparators=[ast.Constant(value=str(name))]):
            if isinstance(op, ast.Eq) is holds:
                yield asked, name
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[right]):
            if isinstance(op, ast.In) is holds:
                yield from _let_in(ev, test.at(left), test.at(right))
        case ast.Call(func=ast.Attribute(value=asked, attr="startswith"), args=[ast.Constant(value=str(name))]):
            if holds:
                yield asked, name


def _let_in(ev: Evaluator, left: Place, right: Place) -> Iterator[tuple[ast.expr, str]]:
    """Yield the same for `device in names`, and for `"cuda" in device`."""
    if isinstance(left.expression, ast.Constant):
        yield right.expression, str(left.expression.value)
        return
    named = (one.value for one in elements_of(ev, ev.evaluate(right)))
    yield from ((left.expression, str(value.value)) for value in named if isinstance(value, Literal))
