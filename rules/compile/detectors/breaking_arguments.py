"""Arguments with which a call breaks a graph: tensors for sizes, generators, what NumPy computes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.tensors.sure_tensors import is_surely_tensor
from torchlint.model.values.value_sets import Array, Built, Imported, Tensor
from torchlint.pytorch.graph_breaks import (
    GENERATOR_ARGUMENT,
    KNOWN_SIZE,
    LEAF_ARGUMENT,
    MAKERS_OF_LEAVES,
    NUMBERS_OF_NUMPY,
    NUMPY_NUMBERS,
    REPEATING,
    SIZED_FUNCTIONS,
    SIZED_OTHERS,
)
from torchlint.pytorch.symbols import GENERATOR
from torchlint.pytorch.untraced import Untraced
from torchlint.syntax.arguments import has_open_keywords

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def of_arguments(ev: Evaluator, place: Place, name: str, call: ast.Call) -> Untraced | None:
    """Return why an argument of a function, by its full name, breaks the graph."""
    if name in NUMBERS_OF_NUMPY and _is_given_numpy(ev, place, call):
        return Untraced.NUMBER
    if name in MAKERS_OF_LEAVES and _makes_leaf(ev, place, call):
        return Untraced.CALL
    if name in SIZED_FUNCTIONS and has_tensor_for_size(ev, place, call.args[: SIZED_FUNCTIONS[name]]):
        return Untraced.NUMBER
    if name in SIZED_OTHERS and has_tensor_for_size(ev, place, call.args[1:]):
        return SIZED_OTHERS[name]
    return by_argument(ev, place, name, call.args[1:]) if name.startswith("torch.") else None


def _is_given_numpy(ev: Evaluator, place: Place, call: ast.Call) -> bool:
    """Tell whether a function is given what NumPy computes from an array, which is a tensor in the graph."""
    match call.args:
        case [ast.Call(func=function)]:
            owner = ev.evaluate(place.at(function.value)) if isinstance(function, ast.Attribute) else ()
            if owner and all(isinstance(one.value, Array) for one in owner):
                return True
            possible = ev.evaluate(place.at(function))
            return bool(possible) and all(
                isinstance(one.value, Imported) and one.value.name in NUMPY_NUMBERS for one in possible
            )
        case _:
            return False


def _makes_leaf(ev: Evaluator, place: Place, call: ast.Call) -> bool:
    """Tell whether a tensor is surely made as a leaf that requires gradients."""
    told = next((keyword.value for keyword in call.keywords if keyword.arg == LEAF_ARGUMENT), None)
    return told is not None and (ev.truth(place.at(told)) is True or _is_asked_of_graph(ev, place, told))


def _is_asked_of_graph(ev: Evaluator, place: Place, told: ast.expr) -> bool:
    """Tell whether the argument is that of a tensor with a graph: `requires_grad=x.requires_grad`."""
    match told:
        case ast.Attribute(value=owner, attr=name) if name == LEAF_ARGUMENT:
            possible = ev.evaluate(place.at(owner))
            return bool(possible) and all(isinstance(one.value, Tensor) and one.value.graph for one in possible)
        case _:
            return False


def by_argument(ev: Evaluator, place: Place, name: str, further: list[ast.expr]) -> Untraced | None:
    """Return why an argument breaks the graph: a generator, or a tensor that says how often an item is repeated."""
    call = place.expression
    assert isinstance(call, ast.Call)
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    if (generator := given.get(GENERATOR_ARGUMENT)) is not None:
        possible = ev.evaluate(place.at(generator))
        is_one = bool(possible) and all(one.value == Built(GENERATOR) for one in possible)
        return Untraced.CALL if is_one else None
    if name.rpartition(".")[2] != REPEATING or KNOWN_SIZE in given or has_open_keywords(call):
        return None
    repeats = [*further[:1], *(value for key, value in given.items() if key == "repeats")]
    return Untraced.SHAPE if any(is_surely_tensor(ev, place.at(one)) for one in repeats) else None


def has_tensor_for_size(ev: Evaluator, place: Place, given: list[ast.expr]) -> bool:
    """Tell whether an argument of a call, or an item of its first one, is surely a tensor."""
    first = given[0] if given else None
    parts = [*(first.elts if isinstance(first, (ast.Tuple, ast.List)) else ()), *given]
    return any(is_surely_tensor(ev, place.at(one)) for one in parts if not isinstance(one, ast.Starred))


def is_given_tensor(ev: Evaluator, place: Place, call: ast.Call) -> bool:
    """Tell whether a function is given a tensor, or an iterable of tensors is written there."""
    match call.args[0] if call.args else None:
        case None:
            return False
        case ast.GeneratorExp(elt=element) | ast.ListComp(elt=element):
            return is_surely_tensor(ev, place.at(element))
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Dict(values=parts):
            return any(is_surely_tensor(ev, place.at(one)) for one in parts)
        case given:
            return any(is_surely_tensor(ev, place.at(one)) for one in (given, *call.args[1:]))
