"""Expressions that wait for the device if what they read is on one; their operands are not evaluated here."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from torchlint.model.place import Place
from torchlint.model.syncs.branching import asked
from torchlint.model.syncs.formatting import formatted
from torchlint.model.syncs.masks import sized_by_data
from torchlint.pytorch.moves import TO_HOST
from torchlint.pytorch.scalers import READING
from torchlint.pytorch.waits import READ_AS_NUMBERS

from .read_arguments import numbers_asked

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.model.values.value_sets import Frame

WaitKind: TypeAlias = Literal["scalar", "copy", "branch", "text", "shape", "number", "synchronize"]

CONVERSIONS = ("float", "int", "bool", "complex")
# `math.isnan(t)` calls `float(t)`.
EXTREMES = ("max", "min")
QUANTIFIERS = ("any", "all")
MATH = ("isnan", "isinf", "isfinite", "sqrt", "exp", "log", "log2", "log10", "floor", "ceil", "pow", "fabs")


@dataclass(frozen=True, slots=True)
class Read:
    """An expression that may wait, and the tensor that it reads."""

    place: Place
    tensor: Place

    def within(self, frame: Frame) -> Read:
        """Return the same, reached by a call."""
        return Read(self.place.within(frame), self.tensor.within(frame))


def reads(file: ParsedFile, kind: WaitKind) -> Iterator[Read]:
    """Yield the expressions of a file that may wait in one way."""
    return _READS[kind](file)


def _scalars(file: ParsedFile) -> Iterator[Read]:
    for name in (*READ_AS_NUMBERS, *READING):
        yield from _methods(file, name)
    for name in (*CONVERSIONS, *MATH):
        for call, statement in file.index.calls(name):
            if call.args:
                place = Place(file, call, statement)
                yield Read(place, place.at(call.args[0]))


def _copies(file: ParsedFile) -> Iterator[Read]:
    for name in TO_HOST:
        yield from _methods(file, name)


def _methods(file: ParsedFile, name: str) -> Iterator[Read]:
    for call, statement in file.index.calls(name):
        if isinstance(call.func, ast.Attribute):
            place = Place(file, call, statement)
            yield Read(place, place.at(call.func.value))


def _branches(file: ParsedFile) -> Iterator[Read]:
    yield from (Read(place, place) for place in asked(file))
    for name, compared in (*((name, _arguments) for name in EXTREMES), *((name, _each) for name in QUANTIFIERS)):
        for call, statement in file.index.calls(name):
            if isinstance(call.func, ast.Name) and not call.keywords:
                place = Place(file, call, statement)
                yield from (Read(place, place.at(one)) for one in compared(call))


def _arguments(call: ast.Call) -> list[ast.expr]:
    """Return the operands of Python's own `max`, which tests each comparison: a tensor's elements too."""
    return call.args if len(call.args) > 1 else _iterables(call)


def _each(call: ast.Call) -> list[ast.expr]:
    """Return the operands of Python's own `any`, those in a display, or else its iterable."""
    match call.args:
        case [ast.GeneratorExp(elt=element) | ast.ListComp(elt=element) | ast.SetComp(elt=element)]:
            return [element]
        case [ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements)]:
            return elements
        case _:
            return _iterables(call)


def _iterables(call: ast.Call) -> list[ast.expr]:
    """Return the iterable argument of a function, unless it is a display."""
    match call.args:
        case [ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call() | ast.BinOp() | ast.Compare() as whole]:
            return [whole]
        case _:
            return []


def _texts(file: ParsedFile) -> Iterator[Read]:
    return (Read(by, place) for place, by in formatted(file))


def _shapes(file: ParsedFile) -> Iterator[Read]:
    return (Read(place, tensor) for place, tensor in sized_by_data(file))


def _numbers(file: ParsedFile) -> Iterator[Read]:
    return (Read(place, tensor) for place, tensor in numbers_asked(file))


def _synchronizations(file: ParsedFile) -> Iterator[Read]:
    for call, statement in file.index.calls("synchronize"):
        place = Place(file, call, statement)
        yield Read(place, place)


_READS: dict[WaitKind, Callable[[ParsedFile], Iterator[Read]]] = {
    "scalar": _scalars,
    "copy": _copies,
    "branch": _branches,
    "text": _texts,
    "shape": _shapes,
    "number": _numbers,
    "synchronize": _synchronizations,
}
