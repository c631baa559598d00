"""Loaders with workers that are created in every epoch, though none of their arguments depends on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.headers import header
from torchlint.model.place import Caller, Place
from torchlint.model.tensors.loader_arguments import loader_argument, may_start_workers
from torchlint.model.training.epochs import training_loop_around
from torchlint.model.training.throttles import is_thinned
from torchlint.pytorch.classes import names_a
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import LOADER
from torchlint.syntax.last_names import callee_name, root_of
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Binding

_EPOCHS = re.compile(r"epoch", re.IGNORECASE)
_DRAWING = re.compile(r"\brand|random[._]|\.rand|sample\(|perm|shuffle\(|choice|epoch", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RebuiltLoader:
    """A call that makes a loader, the loop in whose every round it does, and the call in the loop that leads there."""

    call: Call
    loop: Place
    caller: Place | None
    keeps_workers: bool
    """Whether the workers are to persist, which they cannot."""


def rebuilt_loaders(ev: Evaluator, file: ParsedFile) -> Iterator[RebuiltLoader]:
    """Yield the loaders of a file that every epoch makes again, in source order."""
    for call in method_calls_of(file, file.words_for([LOADER])):
        workers = loader_argument(call, "num_workers")
        if workers is None or not names_a(call.callee.names, Role.LOADER) or not may_start_workers(ev, workers):
            continue
        found = training_loop_around(ev, call)
        if found is None or not isinstance(found[1], ast.For) or not _goes_over_epochs(found[1]):
            continue
        if _is_made_for_round(call, found[0], found[1]) or is_thinned(ev, *found):
            continue
        keeps = call.argument("persistent_workers")
        caller = found[0] if found[0].expression is not call.expression else None
        loop = header(found[0].file, found[1])
        yield RebuiltLoader(call, loop, caller, keeps is not None and True in (keeps.literals or ()))


def _goes_over_epochs(loop: ast.For) -> bool:
    """Tell by its names whether a loop is over epochs, not over folds or trials, each of which trains a new model."""
    return _EPOCHS.search(written(loop.target)) is not None or _EPOCHS.search(written(loop.iter)) is not None


def _is_made_for_round(call: Call, place: Place, loop: ast.For) -> bool:
    """Tell whether a loader, made in a round of a loop or in what that calls at a place, may be another in each."""
    if place.expression is call.expression:
        return _depends(place, loop, call.expression) or _depends_on_attributes(call, place, loop)
    given = _given(call, place)
    is_drawn = _DRAWING.search(" ".join(_sources(call))) is not None
    return is_drawn or _depends(place, loop, *given) or _depends_on_attributes(call, place, loop)


def _given(call: Call, place: Place) -> Iterator[ast.expr]:
    """Yield what the call that leads to a loader passes for it: nothing else of its arguments matters."""
    names = {one for source in _sources(call) for one in re.findall(r"\w+", source)}
    caller = Caller.of_call(place, 1 if call.scope.is_method else 0)
    for parameter in call.scope.parameters:
        if parameter.name in names and parameter.name != "self":
            yield from (one.expression for one in caller.argument(parameter) or ())


def _sources(call: Call) -> list[str]:
    """Return how a loader is written, and what the names in it are bound to in its function."""
    found = [call.code]
    names = {one.id for one in walk(call.expression) if isinstance(one, ast.Name)}
    bound = (one.value for name in sorted(names) for one in call.scope.bindings.get(name, ()) if one.kind == "assign")
    return found + [call.file.code_of(value) for value in bound if value is not None]


def _depends(place: Place, loop: ast.For, *given: ast.expr) -> bool:
    """Tell whether something may be of another value in each round of a loop."""
    index, seen = place.file.index, set[str]()
    rounds = {one.id for one in walk(loop.target) if isinstance(one, ast.Name)}
    pending: list[ast.AST] = list(given)
    while pending:
        for node in walk(pending.pop()):
            if isinstance(node, ast.Call) and not callee_name(node)[:1].isupper():
                return True
            if not isinstance(node, ast.Name) or node.id in seen:
                continue
            seen.add(node.id)
            bound = [one for one in place.scope.bindings.get(node.id, ()) if index.is_in_body(one.statement, loop)]
            if node.id in rounds or any(map(_goes_on, bound)) or _is_changed(place, loop, node.id):
                return True
            pending += [one.value for one in bound if one.value is not None]
    return False


def _goes_on(bound: Binding) -> bool:
    """Tell whether a name has another value in each round: `step += 1`, `size = 2 * size`; so may what is unpacked."""
    names = {node.id for node in walk(bound.value) if isinstance(node, ast.Name)} if bound.value is not None else set()
    return bound.value is None or bound.kind == "augment" or bound.name in names


def _is_changed(place: Place, loop: ast.For, name: str) -> bool:
    """Tell whether a loop calls methods of the value of a name, which may change it: `buffer.add(sample)`."""
    calls = (call for call, _ in place.file.calls_within(loop) if isinstance(call.func, ast.Attribute))
    roots = (root_of(call.func) for call in calls)
    return name != "self" and any(isinstance(root, ast.Name) and root.id == name for root in roots)


def _depends_on_attributes(call: Call, place: Place, loop: ast.For) -> bool:
    """Tell whether a loop sets an attribute that the loader, be it in a method, is made of."""
    read = {node.attr for node in walk(call.expression) if isinstance(node, ast.Attribute)}
    stores = (one for one in place.file.index.stores if place.file.index.is_in_body(one.statement, loop))
    return any(one.key in read for one in stores)
