"""Layers and losses that are given tensors of a dtype which they refuse: `float64` features, `int32` labels."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.calls import Call, call_at, calls_anywhere
from torchlint.model.containers.module_containers import module_at
from torchlint.model.facts import fact
from torchlint.model.guards.catching import is_in_try
from torchlint.model.place import Place
from torchlint.model.tensors.dtypes import numbers_of
from torchlint.model.tensors.made_numbers import sets_default_dtype
from torchlint.model.tensors.makers import public_name
from torchlint.model.tensors.numbers import Numbers, named_dtype
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Instance, Possibility
from torchlint.pytorch.dtypes import CASTS, FLOAT_LAYERS, LABEL_LOSSES, NO_DOUBLES, NO_LABELS, NO_TARGETS
from torchlint.pytorch.symbols import SEQUENTIAL

from .layer_results import is_of_layers
from .loss_calls import loss_calls

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that raises for the dtype of what it is given."""

    call: Call
    given: Place
    numbers: Numbers
    layer: Place | None = None
    """The call of the layer that refuses it, where that is in a module."""


def refused_labels(ev: Evaluator, file: ParsedFile) -> Iterator[Refused]:
    """Yield the losses of a file that are given labels of classes which are neither `int64` nor `uint8`."""
    for kind, function in LABEL_LOSSES.items():
        yield from _refused_by(ev, file, kind, function, NO_LABELS)


def refused_targets(ev: Evaluator, file: ParsedFile) -> Iterator[Refused]:
    """Yield the losses of a file that are given integers, or truth values, as targets and refuse them."""
    for (kind, function), dtypes in NO_TARGETS.items():
        yield from _refused_by(ev, file, kind, function, dtypes)


def refused_doubles(ev: Evaluator, file: ParsedFile) -> Iterator[Refused]:
    """Yield the losses of a file that are given `float64` targets for results of layers, and refuse them."""
    found = [one for names in NO_DOUBLES.items() for one in _refused_by(ev, file, *names, frozenset({"float64"}))]
    for one in found:
        given = one.call.argument("input", 0)
        if given is not None and not ev.project.once(changes_modules) and is_of_layers(ev, given):
            yield one


def _refused_by(ev: Evaluator, file: ParsedFile, kind: str, function: str, dtypes: frozenset[str]) -> Iterator[Refused]:
    """Yield the calls of a loss, as an object of a class and as a function, with targets of some dtypes."""
    for call in loss_calls(ev, file, frozenset({function}), kind):
        given = call.argument("target", 1)
        numbers = numbers_of(ev, given) if given is not None and not is_in_try(call) else None
        if given is not None and numbers is not None and not numbers.is_array and numbers.dtype in dtypes:
            yield Refused(call, given, numbers)


def refused_features(ev: Evaluator, file: ParsedFile) -> Iterator[Refused]:
    """Yield the modules with `float32` weights that a file calls with `float64` tensors."""
    if ev.project.once(changes_modules):
        return
    for call in file.all_calls():  # type: ignore[attr-defined]
        given = call.arguments[0] if call.arguments else None
        if given is None or isinstance(given.expression, ast.Constant) or is_in_try(call):
            continue
        possible = ev.evaluate(call.callee)
        if not possible or not all(is_module(ev, one.value) for one in possible):
            continue
        numbers = numbers_of(ev, given)
        if numbers is not None and not numbers.is_array and numbers.dtype == "float64":
            layers = [_refusing(ev, one, call) for one in possible]
            if all(layer is not None for layer in layers):
                yield Refused(call, given, numbers, layers[0])


_NOWHERE: Place | None = None


@tabled(_NOWHERE)
def _refusing(ev: Evaluator, module: Possibility, call: Call) -> Place | None:
    """Return the call of the first layer in a module that is given a tensor of `float64`, None where none is."""
    numbers = numbers_of(ev, call.arguments[0]) if call.arguments else None
    if numbers is None or numbers.is_array or numbers.dtype != "float64":
        return None
    match module.value:
        case Built(name=name) if name == SEQUENTIAL:
            first = module_at(ev, module, 0)
            return _refusing(ev, first[0], call) if len(first) == 1 else None
        case Built(name=name):
            return call if public_name(name) in FLOAT_LAYERS and not _is_told_dtype(module) else None
        case Instance(kind=kind) if (forward := method_of(ev, kind, "forward", module)) is not None:
            frame = frame_for(call, forward, NESTED)
            inner = forward.file.calls_in_scope(forward.scope) if frame is not None else ()
            places = (Call(forward.file, node, statement, frame) for node, statement in inner)
            return _refusing_inside(ev, [one for one in places if _always_runs(one)])
        case _:
            return None


def _refusing_inside(ev: Evaluator, calls: list[Call]) -> Place | None:
    for call in calls:
        possible = ev.evaluate(call.callee) if call.arguments else ()
        found = _refusing(ev, possible[0], call) if len(possible) == 1 else None
        if found is not None:
            return found
    return None


def _always_runs(call: Call) -> bool:
    """Tell whether every execution of a function reaches a call in it."""
    return call.file.index.home[call.statement][0].owner is call.scope.node


def _is_told_dtype(layer: Possibility) -> bool:
    made = call_at(layer.origin) if layer.origin is not None else None
    return made is None or made.is_open or made.argument("dtype") is not None


@fact
def changes_modules(ev: Evaluator) -> bool:
    """Tell whether a project may give modules another dtype: it sets the default, or converts what may be a module."""
    if ev.project.once(sets_default_dtype):
        return True
    calls = [(word, call) for word in ("to", "type", *sorted(CASTS)) for call in calls_anywhere(ev.project, word)]
    # A module is converted in place: one such call answers, and there are thousands of tensors that are converted.
    calls.sort(key=lambda one: not _is_dropped(one[1]))
    return any(_may_convert(ev, call, word) and _may_be_module(ev, call) for word, call in calls)


def _is_dropped(call: Call) -> bool:
    return isinstance(call.statement, ast.Expr) and call.statement.value is call.expression


def _may_convert(ev: Evaluator, call: Call, word: str) -> bool:
    return not call.arguments if word in CASTS else _names_dtype(ev, call)


def _names_dtype(ev: Evaluator, call: Call) -> bool:
    """Tell whether `to(…)` may convert: to a dtype, or to what is called one."""
    given = [*call.arguments, *call.keywords.values()]
    return "dtype" in call.keywords or any("dtype" in one.word or named_dtype(ev, one) is not None for one in given)


def _may_be_module(ev: Evaluator, call: Call) -> bool:
    return call.owner is not None and any(is_module(ev, one.value) for one in ev.evaluate(call.owner))
