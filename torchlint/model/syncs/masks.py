"""Reads whose result's size only the GPU knows: `x[mask]`, `nonzero`, `unique`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Display
from torchlint.pytorch.comparisons import MASKING, TRUTH_VALUES
from torchlint.pytorch.waits import SIZED_BY_DATA
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.value_sets import Possibility

_NAMES = sorted(SIZED_BY_DATA)


def sized_by_data(file: ParsedFile) -> Iterator[tuple[Place, Place]]:
    """Yield the reads of a file whose size may depend on data, each with the tensor that decides."""
    for name in _NAMES:
        for call, statement in file.index.calls(name):
            place = Place(file, call, statement)
            if (tensor := _asked(place, name)) is not None:
                yield place, tensor
    for subscript, statement in file.index.expressions(ast.Subscript):
        place = Place(file, subscript, statement)
        if isinstance(subscript.ctx, ast.Load) and not isinstance(
            subscript.slice, (ast.Slice, ast.Constant, ast.Tuple)
        ):
            yield place, place.at(subscript.slice)
    # `x[mask] += 1` reads before it writes.
    for changed in file.index.statements(ast.AugAssign):
        if isinstance(changed.target, ast.Subscript):
            place = Place(file, changed.target, changed)
            yield place, place.at(changed.target.slice)


def _asked(place: Place, name: str) -> Place | None:
    """Return the tensor that `x.nonzero()` or `torch.nonzero(x)` reads; `where` waits only with one argument."""
    call = place.expression
    assert isinstance(call, ast.Call)
    if not isinstance(call.func, ast.Attribute):
        return None
    is_function = written(call.func.value) == "torch"
    if name == "where" and (not is_function or len(call.args) != 1 or call.keywords):
        return None
    if is_function:
        return place.at(call.args[0]) if call.args else None
    return place.at(call.func.value)


def is_mask(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is a mask: a comparison of tensors, or made of such."""
    match place.expression:
        case ast.Compare(ops=[op]):
            return not isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn))
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return is_mask(ev, place.at(operand))
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr(), right=right):
            return is_mask(ev, place.at(left)) or is_mask(ev, place.at(right))
        case ast.Call(func=ast.Attribute(attr=name), keywords=keywords):
            dtypes = [place.at(one.value) for one in keywords if one.arg == "dtype"]
            return name in MASKING or any(one.names & TRUTH_VALUES for one in dtypes)
        case ast.Name():
            return _holds_mask(ev, place)
        case ast.Subscript(value=container, slice=ast.Constant(value=str(key))):
            return _is_mask_under(ev, place.at(container), key)
        case _:
            return False


@tabled(False)
def _holds_mask(ev: Evaluator, name: Place) -> bool:
    bindings = name.scope.bindings.get(name.code, ())
    reached = reaching(name.file.index, bindings, name.statement, ev.decide(name)).definitions
    values = [Place(name.file, b.value, b.statement) for b in reached if b.value is not None and not b.selector]
    return bool(values) and all(is_mask(ev, value) for value in values)


@tabled(False)
def _is_mask_under(ev: Evaluator, container: Place, key: str) -> bool:
    """Tell whether a dict is written with a mask under a key, whichever of several it is."""
    possible = ev.evaluate(container)
    return bool(possible) and all(any(is_mask(ev, value) for value in _under(one, key)) for one in possible)


def _under(container: Possibility, key: str) -> Iterator[Place]:
    """Yield what a dict is written with under a key."""
    match container.value:
        case Display(place=Place(expression=ast.Dict(keys=keys, values=values)) as display):
            for name, value in zip(keys, values, strict=True):
                if isinstance(name, ast.Constant) and name.value == key:
                    yield display.at(value)
        case _:
            pass
