"""What a DataLoader yields: tensors on the host, unless the data set or the collate function makes something else."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.roles import may_be_a
from torchlint.model.tensors.collating import may_move, methods_move, objects_made
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    HOST,
    Device,
    Display,
    Instance,
    Possibility,
    Tensor,
    ValueSet,
    known,
)
from torchlint.pytorch.roles import Role
from torchlint.syntax.arguments import passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


_ON_HOST: Device | None = HOST


def batches_of(ev: Evaluator, loader: Possibility) -> ValueSet:
    """Return what a loader yields: tensors, lists or dicts of them, or what the collate function wraps them in."""
    collate = _collate(loader)
    objects = objects_made(ev, collate) if collate is not None else ()
    return objects or known(Tensor(_batch_device(ev, loader), False), loader.origin)


def _batch_device(ev: Evaluator, loader: Possibility) -> Device | None:
    """Return where a loader's batches are, or None if its arguments may move them."""
    if loader.origin is None or not isinstance(loader.origin.expression, ast.Call):
        return HOST
    collate = _collate(loader)
    if collate is not None and may_move(ev, collate):
        return None
    dataset = passed(loader.origin.expression, "dataset", 0)
    return _of_items(ev, loader.origin.at(dataset)) if dataset is not None else HOST


def _collate(loader: Possibility) -> Place | None:
    if loader.origin is None or not isinstance(loader.origin.expression, ast.Call):
        return None
    collate = passed(loader.origin.expression, "collate_fn")
    return loader.origin.at(collate) if collate is not None else None


def is_batch(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a tensor comes from a DataLoader, itself or what it is part of."""
    seen: set[Place] = set()
    pending = [one.origin]
    while pending:
        origin = pending.pop()
        if origin is None or origin in seen:
            continue  # `x = y[0]` and `y = x[1]` of a loop are parts of each other.
        seen.add(origin)
        if isinstance(origin.expression, ast.Subscript):
            pending += [inner.origin for inner in ev.evaluate(origin.at(origin.expression.value))]
        elif isinstance(origin.expression, ast.Call) and may_be_a(ev, origin, Role.LOADER):
            return True
    return False


@tabled(_ON_HOST)
def _of_items(ev: Evaluator, dataset: Place) -> Device | None:
    """Return where the items of a data set are; workers make unknown ones on the host."""
    found = {_of_dataset(ev, one) for one in ev.evaluate(dataset)}
    return HOST if found <= {HOST} else None


def _of_dataset(ev: Evaluator, one: Possibility) -> Device | None:
    match one.value:
        case Tensor(device=device):
            return device
        case Instance(kind=kind):
            return None if methods_move(ev, kind) or _is_made_of_moved(ev, one) else HOST
        case Display(place=Place(expression=ast.List(elts=items) | ast.Tuple(elts=items)) as written):
            given = [written.at(item) for item in items]
        case _ if one.origin is not None and isinstance(one.origin.expression, ast.Call):
            given = [one.origin.at(argument) for argument in one.origin.expression.args]
        case _:
            return HOST
    return HOST if all(_of_items(ev, place) == HOST for place in given) else None


def _is_made_of_moved(ev: Evaluator, dataset: Possibility) -> bool:
    """Tell whether a data set is made of tensors on a device: `Rows(x.to(device), y)`."""
    made = dataset.origin
    if made is None or not isinstance(made.expression, ast.Call):
        return False
    given = (*made.expression.args, *(word.value for word in made.expression.keywords))
    possible = (one.value for argument in given for one in ev.evaluate(made.at(argument)))
    return any(isinstance(value, Tensor) and value.device not in {None, HOST} for value in possible)
