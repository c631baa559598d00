"""Trainers that keep the logits of a whole evaluation on the GPU, for a metric that needs their maxima alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import imported_bases, method_of
from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Class, Function, Imported, Instance, Literal, Possibility
from torchlint.pytorch.companions.peft import PASSING_ON
from torchlint.pytorch.companions.transformers import (
    ARGUMENTS,
    EVALUATION,
    KEPT_LESS,
    REDUCED,
    SPEAKING,
    TRAINERS,
)

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

_NO_VALUE = Literal(None)


@dataclass(frozen=True, slots=True)
class CollectedLogits:
    """The making of a Trainer, the metric that it computes, and where that takes the maxima."""

    trainer: Call
    metric: Place
    maximum: Place


def collected_logits(ev: Evaluator, file: ParsedFile) -> Iterator[CollectedLogits]:
    """Yield the Trainers of a file that have no argument to keep less, in source order."""
    words = frozenset(word for word in _words(ev) if file.index.calls(word))
    for call in method_calls_of(file, words):
        metric = call.keywords.get("compute_metrics")
        if metric is None or call.is_open or REDUCED in call.keywords or not _evaluates(ev, call):
            continue
        model = call.argument("model", 0)
        maximum = _maximum(ev, metric)
        if maximum is not None and model is not None and _is_trainer(ev, call) and _speaks(ev, model):
            yield CollectedLogits(call, metric, maximum)


def _words(ev: Evaluator) -> frozenset[str]:
    """Return what Trainers may be called: by Transformers, or as a class of the project."""
    own = {one.rpartition(".")[2] for one in TRAINERS}
    for path in ev.project.library.holding("Trainer)"):
        if (file := ev.project.parsed(path)) is not None:
            own |= {scope.name for scope in file.index.scopes if scope.kind == "class"}
    return frozenset(own)


def _is_trainer(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call always makes a Trainer that evaluates like the one of Transformers."""
    made = [one.value for one in ev.evaluate(call.callee)]
    return bool(made) and all(_evaluates_plainly(ev, one) for one in made)


def _evaluates_plainly(ev: Evaluator, kind: object) -> bool:
    match kind:
        case Imported(name=name):
            return name in TRAINERS
        case Class():
            own = ("__init__", *EVALUATION)
            is_one = not TRAINERS.isdisjoint(imported_bases(ev, kind))
            return is_one and all(method_of(ev, kind, name) is None for name in own)
        case _:
            return False


def _evaluates(ev: Evaluator, call: Call) -> bool:
    """Tell whether a Trainer is given something to evaluate, and keeps all that comes of it."""
    data, told = call.keywords.get("eval_dataset"), call.argument("args", 1)
    if data is None or any(one.value == _NO_VALUE for one in ev.evaluate(data)):
        return False
    possible = ev.evaluate(told) if told is not None else ()
    return told is None or (bool(possible) and all(_keeps_all(one) for one in possible))


def _keeps_all(told: Possibility) -> bool:
    made = call_at(told.origin) if told.origin is not None else None
    is_plain = isinstance(told.value, Built) and told.value.name in ARGUMENTS
    return is_plain and made is not None and not made.is_open and KEPT_LESS.isdisjoint(made.keywords)


def _maximum(ev: Evaluator, metric: Place) -> Place | None:
    """Return where a metric of the project takes the maxima, and so needs no more."""
    possible = [one.value for one in ev.evaluate(metric)]
    for function in possible if len(possible) == 1 else ():
        if isinstance(function, Function):
            calls = function.file.calls_of(function.scope, "argmax")
            return next((Place(function.file, *call) for call in calls), None)
    return None


@tabled(False)
def _speaks(ev: Evaluator, model: Place) -> bool:
    """Tell whether a module surely has outputs for all tokens of a vocabulary."""
    possible = ev.evaluate(model)
    if possible and all(_has_vocabulary(ev, one) for one in possible):
        return True
    given = _passed_on(model)
    return given is not None and _speaks(ev, given)


def _has_vocabulary(ev: Evaluator, one: Possibility) -> bool:
    match one.value:
        case Instance(kind=kind):
            return _embeds_what_it_tells(ev, kind)
        case Built(name=name):
            made = call_at(one.origin) if one.origin is not None else None
            return bool(SPEAKING.fullmatch(name)) or (
                made is not None and any(SPEAKING.fullmatch(full) for full in made.callee.names)
            )
        case _:
            return False


def _passed_on(model: Place) -> Place | None:
    """Return the module that `model = get_peft_model(model, …)` is made of."""
    bindings = model.scope.bindings.get(model.code, ())
    values = [(one.value, one.statement) for one in bindings if isinstance(one.value, ast.Call)]
    for value, statement in reversed(values):
        call = Call(model.file, value, statement)
        if call.arguments and call.callee.names & PASSING_ON:
            return call.arguments[0]
    return None


def _embeds_what_it_tells(ev: Evaluator, kind: Class) -> bool:
    """Tell whether a module embeds as many tokens as a layer of it has outputs: `Embedding(n, …)`, `Linear(…, n)`."""
    constructor = method_of(ev, kind, "__init__")
    if constructor is None:
        return False
    embedded = _sizes(constructor.file, constructor.scope, "Embedding", "num_embeddings", 0)
    return not embedded.isdisjoint(_sizes(constructor.file, constructor.scope, "Linear", "out_features", 1))


def _sizes(file: ParsedFile, scope: Scope, layer: str, name: str, position: int) -> set[str]:
    calls = (Call(file, *call) for call in file.calls_of(scope, layer))
    found = (call.argument(name, position) for call in calls)
    return {one.code for one in found if one is not None}
