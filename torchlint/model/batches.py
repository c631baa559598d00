"""Where the batches of a DataLoader are: on the host, unless the data set or the collate function moves them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.devices import is_data_type
from torchlint.model.place import Place
from torchlint.model.scope import Scope
from torchlint.model.torch_facts import LOADER
from torchlint.model.values import (
    HOST,
    Built,
    Class,
    Device,
    Display,
    Function,
    Imported,
    Instance,
    Possibility,
    Tensor,
)

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.sourcefile import SourceFile

_DEEPEST = 3


def batch_device(ev: Evaluator, loader: Possibility) -> Device | None:
    """Return where a loader's batches are, or None where what it was made with may move them."""
    if loader.origin is None or not isinstance(loader.origin.expression, ast.Call):
        return HOST
    call = loader.origin.expression
    words = {word.arg: word.value for word in call.keywords}
    collate = words.get("collate_fn")
    if collate is not None and _may_move(ev, loader.origin.at(collate)):
        return None
    dataset = call.args[0] if call.args else words.get("dataset")
    return _of_items(ev, loader.origin.at(dataset), 0) if dataset is not None else HOST


def is_batch(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a tensor comes out of a DataLoader."""
    if one.origin is None or not isinstance(one.origin.expression, (ast.Call, ast.Subscript)):
        return False
    if isinstance(one.origin.expression, ast.Subscript):
        container = ev.evaluate(one.origin.at(one.origin.expression.value))
        return any(is_batch(ev, inner) for inner in container if inner.origin != one.origin)
    return any(isinstance(made.value, Built) and made.value.name == LOADER for made in ev.evaluate(one.origin))


def _of_items(ev: Evaluator, dataset: Place, depth: int) -> Device | None:
    """Return where the items of a data set are; workers make what nobody knows on the host."""
    found = {_of_dataset(ev, one, depth) for one in ev.evaluate(dataset)}
    return HOST if found <= {HOST} else None


def _of_dataset(ev: Evaluator, one: Possibility, depth: int) -> Device | None:
    match one.value:
        case Tensor(device=device):
            return device
        case Instance(kind=kind):
            return None if any(_moves(ev, kind.file, scope) for scope in _methods(kind)) else HOST
        case Display(place=Place(expression=ast.List(elts=items) | ast.Tuple(elts=items)) as written):
            given = [written.at(item) for item in items]
        case _ if one.origin is not None and isinstance(one.origin.expression, ast.Call):
            given = [one.origin.at(argument) for argument in one.origin.expression.args]
        case _:
            return HOST
    is_deep = depth >= _DEEPEST
    return HOST if is_deep or all(_of_items(ev, place, depth + 1) == HOST for place in given) else None


def _may_move(ev: Evaluator, collate: Place) -> bool:
    for one in ev.evaluate(collate):
        match one.value:
            case Function(file=file, scope=scope):
                if _moves(ev, file, scope):
                    return True
            case Instance(kind=kind):
                if any(_moves(ev, kind.file, scope) for scope in _methods(kind)):
                    return True
            case Imported():
                continue
            case _:
                return True
    return False


def _methods(kind: Class) -> Iterator[Scope]:
    return (scope for scope in kind.file.index.scopes if scope.outer is kind.scope)


def _moves(ev: Evaluator, file: SourceFile, scope: Scope) -> bool:
    """Tell whether a function may move something, or make it on a device."""
    for call, statement in file.calls_in_scope(scope):
        if any(word.arg == "device" for word in call.keywords):
            return True
        match call:
            case ast.Call(func=ast.Attribute(attr="cuda")):
                return True
            case ast.Call(func=ast.Attribute(attr="to"), args=[target, *_]):
                kinds = ev.evaluate(Place(file, target, statement))
                if not kinds or not all(is_data_type(one) for one in kinds):
                    return True
    return False
