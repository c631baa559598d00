"""Lists that contain one layer several times: `[nn.Linear(8, 8)] * 3`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.modules.registered import has_parameters
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Instance, Value
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.layers import SWITCHES, WEIGHTED
from torchlint.pytorch.symbols import NN

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


_WEIGHTED = frozenset(f"{NN}{name}" for name in (*WEIGHTED, *SWITCHES))


@dataclass(frozen=True, slots=True)
class RepeatedLayer:
    """A product of a list with a number, the call in the list that builds a layer, and the number."""

    place: Place
    layer: Place
    number: Place
    is_alone: bool
    """Whether the list contains only the layer."""


def repeated_layers(ev: Evaluator, file: ParsedFile) -> Iterator[RepeatedLayer]:
    """Yield the products of lists with a layer that has weights, in source order."""
    for node, statement in file.index.expressions(ast.BinOp):
        match node:
            case ast.BinOp(left=ast.List(elts=elements), op=ast.Mult(), right=number):
                pass
            case ast.BinOp(left=number, op=ast.Mult(), right=ast.List(elts=elements)):
                pass
            case _:
                continue
        whole = Place(file, node, statement)
        built = (whole.at(one) for one in elements if isinstance(one, ast.Call))
        layer = next((one for one in built if _has_weights(ev, one)), None)
        if layer is not None and not (isinstance(number, ast.Constant) and number.value in {0, 1}):
            yield RepeatedLayer(whole, layer, whole.at(number), len(elements) == 1)


def _has_weights(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call surely builds a module with parameters."""
    possible = ev.evaluate(call)
    return bool(possible) and all(one.origin == call and _is_weighted(ev, one.value) for one in possible)


def _is_weighted(ev: Evaluator, value: Value) -> bool:
    match value:
        case Built(name=name):
            return canonical(name) in _WEIGHTED
        case Instance():
            return is_module(ev, value) and has_parameters(ev, value)
        case _:
            return False
