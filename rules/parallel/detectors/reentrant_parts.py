"""Parts that a module under DistributedDataParallel checkpoints by a backward of their own, which marks them twice."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_anywhere
from torchlint.model.modules.made_of import Key, class_key, collect_classes
from torchlint.model.modules.own_methods import run_by_forward
from torchlint.model.modules.trainable import is_trainable
from torchlint.model.place import Place
from torchlint.model.values.graphs_of_values import has_graph
from torchlint.model.values.value_sets import Class, Literal
from torchlint.pytorch.checkpointing import CHECKPOINT, REENTRANT
from torchlint.pytorch.reducers import SEARCHING, STATIC, TOLERANT
from torchlint.pytorch.symbols import DISTRIBUTED

if TYPE_CHECKING:
    from torchlint.finding import Edit
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class ReentrantPart:
    """A call that checkpoints a part, why its parameters are ready twice, and where the module is wrapped."""

    call: Call
    searched: bool
    """Whether the wrapper searches the graph for unused parameters; else the part is checkpointed twice."""
    wrapped: Call

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Return the edits that choose the other variant."""
        given = self.call.keywords.get(REENTRANT)
        edit = self.call.edits.last_argument(f"{REENTRANT}=False") if given is None else given.edits.replace("False")
        return (edit,) if edit is not None else ()


def reentrant_parts(ev: Evaluator, file: ParsedFile) -> Iterator[ReentrantPart]:
    """Yield where methods of a file's modules checkpoint parts whose parameters DistributedDataParallel marks twice."""
    classes = ev.project.once(_wrapped_classes)
    for scope in file.index.scopes if classes else ():
        kind = Class(file, scope)
        if (wrapped := classes.get(class_key(kind))) is None:
            continue
        calls = [call for method in run_by_forward(ev, kind) for call in _checkpoints(ev, file, method)]
        searches = _is_set(ev, wrapped, SEARCHING)
        # Nothing goes back through a part whose input needs no gradient. What follows the first with one has one too.
        first = next((at for at, call in enumerate(calls) if has_graph(ev.evaluate(call.arguments[1]))), len(calls))
        reached = Counter(call.arguments[0].code for call in calls[first:])
        for call in calls[first:]:
            part = call.arguments[0]
            if searches or (reached[part.code] > 1 and _is_own(part)):
                yield ReentrantPart(call, searches, wrapped)


def _wrapped_classes(ev: Evaluator) -> dict[Key, Call]:
    """Return the classes inside modules that are surely wrapped, each with the wrapping call; no static graph."""
    found: dict[Key, Place] = {}
    calls: dict[Place, Call] = {}
    seen: set[Place] = set()
    for call in calls_anywhere(ev.project, DISTRIBUTED.rpartition(".")[2]):
        module = call.argument("module", 0)
        if module is None or call.is_open or call.callee.names != {DISTRIBUTED} or not _is_plain(ev, call):
            continue
        possible = ev.evaluate(module)
        if len(possible) == 1:
            calls[module] = call
            collect_classes(ev, possible, module, found, seen)
    return {key: calls[module] for key, module in found.items()}


def _is_plain(ev: Evaluator, call: Call) -> bool:
    """Tell whether the graph of a wrapper is surely not static."""
    given = call.argument(STATIC, TOLERANT[STATIC])
    return given is None or all(one.value == Literal(False) for one in ev.evaluate(given))


def _is_set(ev: Evaluator, call: Call, name: str) -> bool:
    given = call.argument(name, TOLERANT[name])
    return given is not None and _is_true(ev, given)


def _checkpoints(ev: Evaluator, file: ParsedFile, scope: Scope) -> Iterator[Call]:
    """Yield the calls of a method that always checkpoint a part with parameters."""
    if scope.node not in file.index.home:
        return
    for node, statement in file.calls_in_scope(scope):
        call = Call(file, node, statement)
        if CHECKPOINT in call.callee.names and _is_reentrant(ev, call) and _always_trains(ev, call):
            parts = ev.evaluate(call.arguments[0])
            if parts and all(is_trainable(ev, one) for one in parts):
                yield call


def _is_reentrant(ev: Evaluator, call: Call) -> bool:
    if call.is_open or len(call.arguments) < 2:
        return False
    given = call.keywords.get(REENTRANT)
    return given is None or all(one.value in {Literal(True), Literal(None)} for one in ev.evaluate(given))


def _always_trains(ev: Evaluator, call: Call) -> bool:
    """Tell whether only what holds in training decides about the call."""
    return all(holds and (test.word == "training" or _is_true(ev, test)) for test, holds in call.tests)


def _is_true(ev: Evaluator, test: Place) -> bool:
    possible = ev.evaluate(test)
    return bool(possible) and all(one.value == Literal(True) for one in possible)


def _is_own(part: Place) -> bool:
    match part.expression:
        case ast.Attribute(value=ast.Name()):
            return True
        case _:
            return False
