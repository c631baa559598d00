"""Tensors that are to be pinned and are on a GPU already: only host memory can be pinned."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.calls import calls_of, method_calls_of
from torchlint.model.devices.operands import is_on_the_device
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.tensors.loader_arguments import loader_argument
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Built, Display, Function, Instance, Possibility, Tensor
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.symbols import LOADER, SUBSET, TENSOR_DATASET

from .premises import premises

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_NOWHERE: Place | None = None


@dataclass(frozen=True, slots=True)
class RefusedPinning:
    """A request to pin a tensor that is on a GPU: it raises if there is one."""

    place: Place
    """`pin_memory=True` of a loader, or the call `x.pin_memory()`."""
    origin: Place | None
    """Where the data set is made whose items are on a GPU."""
    tensor: Place

    @property
    def premises(self) -> tuple[Step, ...]:
        """Return the steps that show, or assume, that a tensor there is on a GPU."""
        return premises(self.place.file.project.evaluator(WITH_CUDA), self.place, self.tensor)


def refused_pinnings(ev: Evaluator, file: ParsedFile) -> Iterator[RefusedPinning]:
    """Yield where a file requests to pin tensors on a GPU."""
    for call in method_calls_of(file, frozenset({"pin_memory"})):
        if call.owner is not None and is_on_the_device(ev, call.owner) and is_reachable(ev, call):
            yield RefusedPinning(call, None, call.owner)
    for call in calls_of(file, frozenset({LOADER})):
        pinned = call.argument("pin_memory", 7)
        if pinned is None or call.is_open or ev.truth(pinned) is not True or not is_reachable(ev, call):
            continue
        if (tensor := _in_batches(ev, call)) is not None:
            yield RefusedPinning(pinned, tensor, tensor)


def _in_batches(ev: Evaluator, loader: Call) -> Place | None:
    """Return a tensor of a loader's batches that surely is on a GPU: in the collate function, or in the data set."""
    collating, dataset = loader_argument(loader, "collate_fn"), loader_argument(loader, "dataset")
    if collating is None:
        return _on_a_gpu(ev, dataset) if dataset is not None else None
    functions = [one.value for one in ev.evaluate(collating)]
    found = [_returned(ev, one) if isinstance(one, Function) else None for one in functions]
    return found[0] if found and None not in found else None


def _returned(ev: Evaluator, function: Function) -> Place | None:
    """Return the tensor on a GPU that a function returns, or that is in all its results."""
    items = [_in_item(ev, one) for one in ev.returned(function, None)]
    return items[0] if items and None not in items else None


@tabled(_NOWHERE)
def _on_a_gpu(ev: Evaluator, dataset: Place) -> Place | None:
    """Return a tensor of the items of a data set that surely is on a GPU, in every possibility of the data set."""
    found = [_in_items(ev, one) for one in ev.evaluate(dataset)]
    return found[0] if found and None not in found else None


def _in_items(ev: Evaluator, dataset: Possibility) -> Place | None:
    match dataset.value:
        case Built(name=name) if dataset.origin is not None and name in {TENSOR_DATASET, SUBSET}:
            made = dataset.origin.expression
            given = [dataset.origin.at(argument) for argument in made.args] if isinstance(made, ast.Call) else []
            if name == SUBSET:
                return _on_a_gpu(ev, given[0]) if given else None
            return next((tensor for tensor in given if is_on_the_device(ev, tensor)), None)
        case Instance(kind=kind) if (get := method_of(ev, kind, "__getitem__", dataset)) is not None:
            return _returned(ev, get)
        case _:
            return None


def _in_item(ev: Evaluator, item: Possibility) -> Place | None:
    """Return the tensor on a GPU that an item is, or that its tuple or dict has."""
    match item.value:
        case Tensor(device=device):
            return item.origin if device not in {None, HOST} else None
        case Display(place=place) if isinstance(place.expression, ast.List | ast.Tuple):
            parts = place.expression.elts
        case Display(place=place) if isinstance(place.expression, ast.Dict):
            parts = place.expression.values
        case _:
            return None
    return next((place.at(part) for part in parts if is_on_the_device(ev, place.at(part))), None)
