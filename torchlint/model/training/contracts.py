"""Functions that a framework calls with every training batch, by its contract: no loop of the project does."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.headers import name_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Class, Function, ValueSet
from torchlint.pytorch.companions.ignite import ENGINE as IGNITE_ENGINE
from torchlint.syntax.last_names import last_name
from torchlint.syntax.scope import Scope
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile

# Methods that a framework calls with every batch, and their classes:
# https://lightning.ai/docs/pytorch/stable/common/lightning_module.html#hooks
# https://huggingface.co/docs/transformers/main_classes/callback
_HOOKS_OF_LIGHTNING = (
    "on_train_batch_start on_train_batch_end on_before_zero_grad on_before_backward on_after_backward"
    " on_before_optimizer_step"
).split()
_HOOKS_OF_TRANSFORMERS = "on_step_begin on_step_end on_substep_end on_pre_optimizer_step on_optimizer_step".split()
_METHODS = {
    "training_step": re.compile("LightningModule|Trainer"),
    "compute_loss": re.compile("Trainer"),
    **dict.fromkeys(_HOOKS_OF_LIGHTNING, re.compile("LightningModule$|lightning.*Callback$")),
    **dict.fromkeys(_HOOKS_OF_TRANSFORMERS, re.compile("TrainerCallback$")),
}
# https://docs.pytorch.org/ignite/generated/ignite.engine.events.Events.html; `Events.X(every=100)` is a call.
_EVERY_ITERATION = frozenset({"ITERATION_STARTED", "ITERATION_COMPLETED", "GET_BATCH_COMPLETED"})


def called_by_frameworks(ev: Evaluator, stepping: Collection[Scope]) -> Iterator[tuple[Function, Step]]:
    """Yield the functions that a framework calls at every step; `stepping` are those that make a step themselves."""
    for function, place in (*_methods(ev, stepping), *_of_engines(ev, stepping)):
        yield function, place.step(f"`{function.scope.name}` is called in every step by the framework")


def _methods(ev: Evaluator, stepping: Collection[Scope]) -> Iterator[tuple[Function, Place]]:
    """Yield `training_step` of a LightningModule, and the like."""
    for name, framework in _METHODS.items():
        for path in ev.project.library.holding(f"def {name}("):
            file = ev.project.parsed(path)
            for scope in file.index.scopes if file is not None else ():
                if file is None or scope.name != name or not scope.is_method or scope.outer is None:
                    continue
                kind = Class(file, scope.outer)
                is_of_framework = any(framework.search(one) for one in family(ev, kind) if isinstance(one, str))
                if is_of_framework and (scope in stepping or not _has_no_optimizer(ev, kind)):
                    yield Function(file, scope), name_of(file, scope)


def _has_no_optimizer(ev: Evaluator, kind: Class) -> bool:
    """Tell whether a LightningModule, or a subclass, trains nothing: it iterates over the data only once.

    https://lightning.ai/docs/pytorch/stable/common/lightning_module.html#configure-optimizers
    """
    methods = [method_of(ev, one, "configure_optimizers") for one in (kind, *ev.subclasses(kind))]
    return all(method is not None and _returns_nothing(method.scope) for method in methods)


def _returns_nothing(method: Scope) -> bool:
    """Tell whether a method returns `None`, and is not abstract."""
    node = method.node
    if not isinstance(node, ast.FunctionDef) or method.yields or isinstance(node.body[-1], ast.Raise):
        return False
    is_abstract = any(last_name(one) == "abstractmethod" for one in node.decorator_list)
    returned = (one.value for one in method.returns)
    return not is_abstract and all(one is None or written(one) == "None" for one in returned)


def _of_engines(ev: Evaluator, stepping: Collection[Scope]) -> Iterator[tuple[Function, Place]]:
    """Yield what Ignite's engines call: `Engine(update)` where `update` trains, and handlers of its iterations."""
    for path in ev.project.library.holding("ignite"):
        if (file := ev.project.parsed(path)) is None:
            continue
        for call, statement in file.index.calls("Engine"):
            place = Place(file, call, statement)
            if call.args and _trains(ev, ev.evaluate(place), stepping):
                yield from ((function, place) for function in _functions(ev.evaluate(place.at(call.args[0]))))
        yield from _handlers(ev, file, stepping)


def _handlers(ev: Evaluator, file: ParsedFile, stepping: Collection[Scope]) -> Iterator[tuple[Function, Place]]:
    """Yield the functions that run at every iteration of an engine that trains."""
    for call, statement in file.index.calls("on"):
        scope = file.index.scope_of(statement) if isinstance(statement, ast.FunctionDef) else None
        if scope is not None and _is_every_iteration(ev, Place(file, call, statement), stepping):
            yield Function(file, scope), name_of(file, scope)
    for call, statement in file.index.calls("add_event_handler"):
        place = Place(file, call, statement)
        if len(call.args) > 1 and _is_every_iteration(ev, place, stepping):
            yield from ((function, place) for function in _functions(ev.evaluate(place.at(call.args[1]))))


def _is_every_iteration(ev: Evaluator, place: Place, stepping: Collection[Scope]) -> bool:
    """Tell whether `engine.on(event)` adds a handler to each iteration of an engine that trains."""
    match place.expression:
        case ast.Call(func=ast.Attribute(value=engine), args=[event, *_]) if last_name(event) in _EVERY_ITERATION:
            return _trains(ev, ev.evaluate(place.at(engine)), stepping)
        case _:
            return False


def _trains(ev: Evaluator, engines: ValueSet, stepping: Collection[Scope]) -> bool:
    """Tell whether an engine calls a function that makes a training step, or is one that Ignite makes for training."""
    for engine in engines:
        if engine.value != Built(IGNITE_ENGINE) or engine.origin is None:
            continue
        call = engine.origin.expression
        if not isinstance(call, ast.Call) or last_name(call.func) == "create_supervised_trainer":
            return True
        updates = _functions(ev.evaluate(engine.origin.at(call.args[0]))) if call.args else ()
        if any(function.scope in stepping for function in updates):
            return True
    return False


def _functions(possible: ValueSet) -> tuple[Function, ...]:
    return tuple(one.value for one in possible if isinstance(one.value, Function))
