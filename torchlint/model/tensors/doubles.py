"""Whether arrays and tensors are of doubles, numbers of 64 bits, as far as that is sure."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.calls import Call
from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Array, Built, Instance, Literal, Possibility, Tensor
from torchlint.pytorch.doubles import (
    DOUBLE_ARRAYS,
    DOUBLE_TYPES,
    GENERATORS,
    KEEPS_TYPE,
    SAMPLING,
    TENSOR_OF_ARRAY,
)
from torchlint.pytorch.symbols import LOADER, TENSOR_DATASET
from torchlint.pytorch.views import SAME_MEMORY
from torchlint.syntax.around import loops_around
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_RANDOM = "numpy.random."


@tabled(False)
def is_double(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is an array or tensor of doubles for sure."""
    match place.expression:
        case ast.Call():
            return _is_made_double(ev, Call(place.file, place.expression, place.statement, place.frame, place.given))
        case ast.Attribute(value=owner, attr=name) if name in SAME_MEMORY:
            return is_double(ev, place.at(owner))
        case ast.Subscript(value=owner):
            return is_double(ev, place.at(owner))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Pow(), right=right):
            return is_double(ev, place.at(left)) or is_double(ev, place.at(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return is_double(ev, place.at(operand))
        case _:
            possible = ev.evaluate(place)
            return bool(possible) and all(_comes_double(ev, place, one) for one in possible)


def _comes_double(ev: Evaluator, place: Place, one: Possibility) -> bool:
    """Tell whether what a name or attribute may be was made of doubles, or is of a batch that is."""
    made = one.origin
    if not isinstance(one.value, (Array, Tensor)) or made is None or made.expression is place.expression:
        return False
    if isinstance(made.expression, ast.Call) and any(v.value == Built(LOADER) for v in ev.evaluate(made)):
        return _is_of_double_samples(ev, place, Call(made.file, made.expression, made.statement, made.frame))
    return is_double(ev, made)


def _is_made_double(ev: Evaluator, call: Call) -> bool:
    names = call.callee.names
    makers = names & DOUBLE_ARRAYS.keys()
    kind = call.argument("dtype", DOUBLE_ARRAYS[min(makers)] if makers else None)
    if kind is not None:
        return _is_double_type(kind)
    if makers:
        return True
    if any(name.startswith(_RANDOM) for name in names):
        return _draws_array(call)
    if names & TENSOR_OF_ARRAY:
        return bool(call.arguments) and is_double(ev, call.arguments[0])
    return call.owner is not None and _is_asked_double(ev, call, call.owner)


def _is_asked_double(ev: Evaluator, call: Call, owner: Place) -> bool:
    """Tell whether a method gives doubles: of a generator, of a cast, of what are doubles before."""
    if call.method in SAMPLING and _draws_array(call):
        origins = (one.origin for one in ev.evaluate(owner))
        return any(
            isinstance(one.expression, ast.Call) and bool(one.at(one.expression.func).names & GENERATORS)
            for one in origins
            if one is not None
        )
    if call.method == "double":
        return True
    if call.method in {"astype", "to", "type"}:
        return bool(call.arguments) and _is_double_type(call.arguments[0])
    return call.method in KEEPS_TYPE | SAME_MEMORY and is_double(ev, owner)


def _draws_array(call: Call) -> bool:
    """Tell whether a call draws an array of doubles, and no single float."""
    position = SAMPLING.get(call.method)
    return position is not None and call.argument("size", position) is not None


def _is_double_type(kind: Place) -> bool:
    names = kind.names
    return bool(names and names <= DOUBLE_TYPES) or kind.code == "float" or kind.literals in {("float64",), ("double",)}


def _is_of_double_samples(ev: Evaluator, place: Place, loader: Call) -> bool:
    """Tell whether a name of a loop over a loader is bound to what the samples have of doubles."""
    path = _path_in_batch(place)
    dataset = loader.argument("dataset", 0)
    if path is None or dataset is None or loader.argument("collate_fn", 6) is not None:
        return False
    possible = ev.evaluate(dataset)
    return bool(possible) and all(_has_double_samples(ev, one, path) for one in possible)


def _path_in_batch(place: Place) -> tuple[int, ...] | None:
    """Return at which positions of its batch a loop finds what it binds to a name; None for what is bound otherwise."""
    bindings = place.scope.bindings.get(place.code, ())
    loops = [one for one in loops_around(place) if isinstance(one, ast.For)]
    loop = next((one for one in loops if any(b.statement is one for b in bindings)), None)
    if loop is None:
        return None
    target: ast.expr = loop.target
    iterated = header(place.file, loop).expression
    if isinstance(iterated, ast.Call) and callee_name(iterated) == "enumerate":
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            return None
        target = target.elts[1]
    if isinstance(target, ast.Name):
        return ()
    elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    return next(((i,) for i, one in enumerate(elements) if isinstance(one, ast.Name) and one.id == place.code), None)


def _has_double_samples(ev: Evaluator, dataset: Possibility, path: tuple[int, ...]) -> bool:
    """Tell whether each sample of a dataset has an array, tensor or Python float of 64 bits at a position."""
    made = dataset.origin
    if dataset.value == Built(TENSOR_DATASET) and made is not None and isinstance(made.expression, ast.Call) and path:
        given = made.expression.args
        return path[0] < len(given) and is_double(ev, made.at(given[path[0]]))
    method = method_of(ev, dataset.value.kind, "__getitem__") if isinstance(dataset.value, Instance) else None
    if method is None:
        return False
    returned = [(one.value, one) for one in method.scope.returns]
    places = [_at(Place(method.file, value, at), path) if value is not None else None for value, at in returned]
    return bool(places) and all(one is not None and _is_sample(ev, one) for one in places)


def _at(returned: Place, path: tuple[int, ...]) -> Place | None:
    if not path:
        return returned
    match returned.expression:
        case ast.Tuple(elts=elements) if path[0] < len(elements):
            return returned.at(elements[path[0]])
        case _:
            return None


def _is_sample(ev: Evaluator, place: Place) -> bool:
    """Tell whether a loader makes doubles of a part of its samples: `default_collate` does of Python's floats."""
    if isinstance(place.expression, ast.Call) and place.at(place.expression.func).code == "float":
        return True
    values = [one.value for one in ev.evaluate(place)]
    if values and all(isinstance(one, Literal) and type(one.value) is float for one in values):
        return True
    return is_double(ev, place)
