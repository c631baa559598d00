"""Schedulers of a LightningModule with manual optimization that are never stepped."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.calls import Call
from torchlint.model.place import Place
from torchlint.model.roles import SCHEDULERS, is_a
from torchlint.model.values.value_sets import Class
from torchlint.pytorch.companions.lightning import CONFIGURE, MANUAL, MODULES, STEPPED
from torchlint.syntax.arguments import is_flag
from torchlint.syntax.around import is_self
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

# What a scheduler is called, or the list of them.
_SCHEDULER = re.compile(r"sch|lr", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class IdleScheduler:
    """The making of a scheduler, and what says that optimization is manual."""

    scheduler: Call
    manual: Place


def idle_schedulers(ev: Evaluator, file: ParsedFile) -> Iterator[IdleScheduler]:
    """Yield the schedulers that a file hands to Lightning, which leaves them alone, in source order."""
    for scope in file.index.scopes:
        if scope.name != CONFIGURE or not scope.is_method or scope.outer is None:
            continue
        classes = list(family(ev, Class(file, scope.outer)))
        own = [one for one in classes if isinstance(one, Class)]
        if MODULES.isdisjoint(one for one in classes if isinstance(one, str)) or ev.project.once(_asks_for_schedulers):
            continue
        if any(_steps(one.file) for one in (*own, *ev.subclasses(own[0]))):
            continue
        manual = next((place for one in own if (place := _manual(one)) is not None), None)
        if manual is not None:
            yield from (IdleScheduler(call, manual) for call in _schedulers(ev, file, scope))


def _manual(kind: Class) -> Place | None:
    """Return what makes the optimization of a class manual in any run: an attribute, or a property."""
    for store in kind.file.index.attribute_stores(MANUAL):
        place = Place(kind.file, store.target, store.statement)
        is_plain = isinstance(store.target, ast.expr) and is_self(store.target)
        is_always = kind.file.index.home[store.statement][0].owner is place.scope.node
        if is_plain and is_always and place.scope.outer is kind.scope and is_flag(store.value, False):
            return place
    for binding in kind.scope.bindings.get(MANUAL, ()):
        returns = binding.scope.returns if binding.scope is not None else []
        if len(returns) == 1 and returns[0].value is not None and is_flag(returns[0].value, False):
            return Place(kind.file, returns[0].value, returns[0])
    return None


def _schedulers(ev: Evaluator, file: ParsedFile, scope: Scope) -> Iterator[Call]:
    for call, statement in file.calls_in_scope(scope):
        place = Call(file, call, statement)
        possible = ev.evaluate(place)
        if possible and all(is_a(ev, one.value, SCHEDULERS) and one.origin == place for one in possible):
            yield place


def _asks_for_schedulers(ev: Evaluator) -> bool:
    """Tell whether a project asks Lightning for its schedulers, in a module or a callback."""
    return any(ev.project.library.holding(word) for word in sorted(STEPPED))


def _steps(file: ParsedFile) -> bool:
    """Tell whether a file steps anything that is called like a scheduler."""
    calls = (call.func for call, _ in file.index.calls("step"))
    return any(isinstance(one, ast.Attribute) and _SCHEDULER.search(written(one.value)) for one in calls)
