"""What frameworks compile: the model of a Trainer, modules that Accelerate prepares, the steps of a LightningModule."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import imported_bases, method_of
from torchlint.model.calls import Call, call_at, calls_anywhere
from torchlint.model.values.value_sets import Built, Class, Function, Imported, Instance, Literal, Possibility
from torchlint.pytorch.companions.accelerate import ACCELERATORS, BACKEND, NO_BACKEND, PLUGIN, PLUGINS, PREPARING
from torchlint.pytorch.companions.lightning import COMPILED_METHODS, MODULES
from torchlint.pytorch.companions.transformers import ARGUMENTS, COMPILING, TRAINERS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_OFF = (Literal(None), Literal(False), Literal(NO_BACKEND))


def compiled_by_frameworks(ev: Evaluator) -> Iterator[tuple[Place, Call]]:
    """Yield the modules that a framework compiles, each with the call that says so: `Accelerator(dynamo_backend=…)`."""
    for word in sorted({name.rpartition(".")[2] for name in PREPARING}):
        for call in calls_anywhere(ev.project, word):
            if (maker := _compiling_accelerator(ev, call)) is not None:
                yield from ((given, maker) for given in call.arguments)
    files = [ev.project.parsed(path) for word in sorted(COMPILING) for path in ev.project.library.holding(word)]
    if any(file is not None for file in files):
        for path in ev.project.library.holding("Trainer"):
            if (file := ev.project.parsed(path)) is not None:
                yield from _trained(ev, file)


def _compiling_accelerator(ev: Evaluator, call: Call) -> Call | None:
    """Return where the accelerator is made that prepares something here, None if it compiles nothing."""
    made = [one for one in ev.evaluate(call.owner) if _is_accelerator(one)] if call.owner is not None else []
    maker = call_at(made[0].origin) if len(made) == 1 and made[0].origin is not None else None
    if maker is None or not (_is_on(ev, maker.argument(BACKEND)) or _is_plugin(ev, maker.argument(PLUGIN))):
        return None
    return maker


def _is_accelerator(one: Possibility) -> bool:
    return isinstance(one.value, Built) and one.value.name in ACCELERATORS


def _is_plugin(ev: Evaluator, given: Place | None) -> bool:
    possible = ev.evaluate(given) if given is not None else ()
    return bool(possible) and all(isinstance(one.value, Built) and one.value.name in PLUGINS for one in possible)


def _is_on(ev: Evaluator, given: Place | None) -> bool:
    """Tell whether an argument is surely given, and is no value that turns it off."""
    possible = ev.evaluate(given) if given is not None else ()
    return bool(possible) and all(isinstance(one.value, Literal) and one.value not in _OFF for one in possible)


def _trained(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Place, Call]]:
    """Yield the models of the Trainers of a file that compile theirs."""
    for node, statement in file.index.expressions(ast.Call):
        call = Call(file, node, statement)
        told, model = call.argument("args", 1), call.argument("model", 0)
        if told is not None and model is not None and _makes_trainer(ev, call):
            makers = [call_at(one.origin) for one in ev.evaluate(told) if _is_arguments(one) and one.origin is not None]
            maker = makers[0] if len(makers) == 1 else None
            if maker is not None and any(_is_on(ev, maker.keywords.get(name)) for name in COMPILING):
                yield model, maker


def _is_arguments(one: Possibility) -> bool:
    return isinstance(one.value, Built) and one.value.name in ARGUMENTS


def _makes_trainer(ev: Evaluator, call: Call) -> bool:
    made = [one.value for one in ev.evaluate(call.callee)]
    return bool(made) and all(
        (isinstance(one, Imported) and one.name in TRAINERS)
        or (isinstance(one, Class) and not TRAINERS.isdisjoint(imported_bases(ev, one)))
        for one in made
    )


def steps_of_lightning(ev: Evaluator, one: Possibility) -> Iterator[Function]:
    """Yield the methods of a LightningModule that its Trainer compiles where the module is: `training_step`."""
    if isinstance(one.value, Instance) and not MODULES.isdisjoint(imported_bases(ev, one.value.kind)):
        for name in COMPILED_METHODS:
            if (method := method_of(ev, one.value.kind, name, one)) is not None:
                yield method
