"""Tests of whether a value is cached: the branch where it is not computes it, and stores it for the next time.

`if self.mask is None: self.mask = …`, `if not hasattr(self, "mask"): …`, `if getattr(self, "mask", None) is None: …`,
`if n not in self.masks: self.masks[n] = …`, `if self.mask.size(0) < n: self.mask = …`, and all that is below `if
self.mask is not None: return self.mask`. So is `if self.scale < 0: self.scale = …`, where a number that no scale can
have means none. The cached value may have a name: `mask = self.mask`, `if mask is None: self.mask = …`. A dict may hold
several: `if len(state) == 0: state["step"] = …`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from torchlint.syntax.connectives import is_so_by
from torchlint.syntax.dominating_conditions import opened_by
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.syntax.dominating_conditions import Condition
    from torchlint.syntax.index import Index

_Attributes: TypeAlias = Callable[[ast.expr], Iterator[str]]
_KEEPING = frozenset({"register_buffer", "setattr"})


def is_made_once(index: Index, condition: Condition, test: ast.expr, holds: bool) -> bool:
    """Tell whether a test holds only if no valid value is cached, and its branch stores one.

    `test` is the part of it that decides there, and `holds` its outcome.
    """
    if not isinstance(condition.statement, ast.If):
        return False
    attributes = partial(_attributes, index, condition.statement)
    if not any(_missing(condition.test, condition.holds, attributes)):
        return False
    stored = set(_stored(opened_by(index, condition.statement, condition.holds)))
    return is_so_by(test, holds, lambda part, so: not stored.isdisjoint(_missing(part, so, attributes)))


def _missing(test: ast.expr, holds: bool, attributes: _Attributes) -> Iterator[str]:
    """Yield what a test finds missing or invalid, as text: `self.mask`; of several tests, of each."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _missing(operand, not holds, attributes)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _missing(value, holds, attributes)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            yield from _compared(left, op, right, holds, attributes)
        case ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=str(name))]) if not holds:
            yield f"{written(owner)}.{name}"
        case ast.Attribute() if not holds:
            yield written(test)
        case ast.Call(func=ast.Name(id="getattr")) if not holds:
            yield from _got(test)
        case ast.Name() | ast.Call(func=ast.Name(id="len")) if not holds:
            yield from _kept(test, attributes)


def _compared(left: ast.expr, op: ast.cmpop, right: ast.expr, holds: bool, attributes: _Attributes) -> Iterator[str]:
    match op:
        case ast.Is() | ast.IsNot():
            is_none = isinstance(right, ast.Constant) and right.value is None
            yield from attributes(left) if is_none and isinstance(op, ast.Is) is holds else ()
        case ast.In() | ast.NotIn():
            yield from (*_named_in(left, right), written(right)) if isinstance(op, ast.NotIn) is holds else ()
        case _ if isinstance(left, ast.Call) and _is_empty(op, right, holds):
            yield from _kept(left, attributes)
        case _ if _stands_for_none(op, right, holds):
            yield from attributes(left)
        # A cached value is compared with what is needed now; `if self.count > 10:` is about the count alone.
        case _ if isinstance(op, ast.Eq) is not holds and not isinstance(right, ast.Constant):
            yield from (*attributes(left), *attributes(right))


def _got(call: ast.expr) -> Iterator[str]:
    """Yield the attribute that `getattr(self, "mask", None)` reads."""
    match call:
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name)), *_]):
            yield f"{written(owner)}.{name}"


def _named_in(name: ast.expr, container: ast.expr) -> Iterator[str]:
    """Yield the attribute that `"mask" in self.__dict__` asks for."""
    match name, container:
        case ast.Constant(value=str(text)), ast.Attribute(value=owner, attr="__dict__"):
            yield f"{written(owner)}.{text}"


def _kept(container: ast.expr, attributes: _Attributes) -> Iterator[str]:
    """Yield the container that is tested for items, or whose length is asked for, if an attribute keeps it."""
    match container:
        case ast.Call(func=ast.Name(id="len"), args=[counted]):
            yield from _kept(counted, attributes)
        case ast.Name() | ast.Attribute() if any(attributes(container)):
            yield written(container)


def _is_empty(op: ast.cmpop, right: ast.expr, holds: bool) -> bool:
    """Tell whether a comparison finds that a length is zero."""
    match right:
        case ast.Constant(value=0):
            return isinstance(op, ast.Eq) if holds else isinstance(op, (ast.NotEq, ast.Gt))
        case ast.Constant(value=1):
            return isinstance(op, ast.Lt) if holds else isinstance(op, ast.GtE)
        case _:
            return False


def _stands_for_none(op: ast.cmpop, right: ast.expr, holds: bool) -> bool:
    """Tell whether a comparison finds a number below zero, an initial value of counts, sizes and scales."""
    match right:
        case ast.Constant(value=0):
            return isinstance(op, ast.Lt) if holds else isinstance(op, ast.GtE)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return isinstance(op, ast.Eq) if holds else isinstance(op, ast.NotEq)
        case _:
            return False


def _attributes(index: Index, statement: ast.stmt, node: ast.expr) -> Iterator[str]:
    """Yield the attributes in a test, and in what its names are bound to, once and above it."""
    for one in walk(node):
        if isinstance(one, ast.Attribute):
            yield written(one)
        elif isinstance(one, ast.Call):
            yield from _got(one)
        elif isinstance(one, ast.Name):
            bindings = index.home[statement][0].scope.bindings.get(one.id, ())
            above = [binding for binding in bindings if binding.statement.lineno < statement.lineno]
            value = above[0].value if len(above) == 1 and above[0].kind == "assign" else None
            yield from (written(part) for part in walk(value) if isinstance(part, ast.Attribute)) if value else ()


def _stored(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the attributes that statements set, and the containers of the items, as text."""
    for node in (node for statement in statements for node in walk(statement)):
        match node:
            case ast.Attribute(ctx=ast.Store()):
                yield written(node)
            case ast.Subscript(ctx=ast.Store(), value=container):
                yield written(container)
            # A flag is a buffer where it is saved with the model: `self.ready.fill_(True)`.
            case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name.endswith("_") and name[0] != "_":
                yield written(owner).removesuffix(".data")
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[ast.Constant(value=str(key)), *_]):
                if name in _KEEPING:
                    yield f"{written(owner)}.{key}"
            case ast.Call(func=ast.Name(id=name), args=[owner, ast.Constant(value=str(key)), _]) if name in _KEEPING:
                yield f"{written(owner)}.{key}"
