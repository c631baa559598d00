"""What the items of a loader's batches are made of: the tensors of a data set, or what its methods return."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Function, Instance, Literal, Possibility
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.symbols import SUBSET, TENSOR_DATASET
from torchlint.syntax.arguments import has_star, passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

Path: TypeAlias = "tuple[int, ...]"
Source: TypeAlias = "tuple[Place, Path] | None"


_NONE: tuple[Source, ...] = ()


def batch_items(ev: Evaluator, loader: Possibility, path: Path) -> Iterator[Source]:
    """Yield what the item at a path of a loader's batches is made of, each with the path in it; None for the unknown.

    `path` leads into tuples: `(1,)` for `y` of `for x, y in loader`.
    """
    made = loader.origin
    if made is None or not isinstance(made.expression, ast.Call):
        yield None
        return
    collate, dataset = passed(made.expression, "collate_fn"), passed(made.expression, "dataset", 0)
    if collate is not None:
        for one in ev.evaluate(made.at(collate)):
            yield from _returned(one.value, path) if isinstance(one.value, Function) else (None,)
    elif dataset is not None:
        yield from _of_dataset(ev, made.at(dataset), path)
    else:
        yield None


@tabled(_NONE)
def _of_dataset(ev: Evaluator, dataset: Place, path: Path) -> tuple[Source, ...]:
    return tuple(source for one in ev.evaluate(dataset) for source in _of_one(ev, one, path))


def _of_one(ev: Evaluator, one: Possibility, path: Path) -> Iterator[Source]:
    arguments = one.origin.expression.args if one.origin and isinstance(one.origin.expression, ast.Call) else []
    match one.value:
        case Built(name=name) if canonical(name) == TENSOR_DATASET and path and path[0] < len(arguments):
            assert one.origin is not None
            is_known = not has_star(arguments)
            yield (one.origin.at(arguments[path[0]]), path[1:]) if is_known else None
        case Built(name=name) if canonical(name) == SUBSET and arguments:
            assert one.origin is not None
            yield from _of_dataset(ev, one.origin.at(arguments[0]), path)
        case Instance(kind=kind) if (method := method_of(ev, kind, "__getitem__")) is not None:
            yield from _returned(method, path)
        case _:
            yield None


def _returned(function: Function, path: Path) -> Iterator[Source]:
    returns = [one for one in function.scope.returns if one.value is not None]
    yield from ((Place(function.file, one.value, one), path) for one in returns if one.value is not None)
    if not returns:
        yield None


def float_in(ev: Evaluator, item: Place, path: Path) -> Place | None:
    """Return the Python float that the item at a path of a sample is, of which `default_collate` makes doubles."""
    if path:
        parts = item.expression.elts if isinstance(item.expression, ast.Tuple) else []
        is_there = path[0] < len(parts) and not has_star(parts)
        return float_in(ev, item.at(parts[path[0]]), path[1:]) if is_there else None
    if isinstance(item.expression, ast.Call) and item.at(item.expression.func).names == {"builtins.float"}:
        return item
    values = [one.value for one in ev.evaluate(item)]
    is_float = bool(values) and all(isinstance(one, Literal) and isinstance(one.value, float) for one in values)
    return item if is_float else None
