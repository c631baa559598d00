"""What calls of functions and classes outside the project return."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.call_graph.imports import imported_by_call
from torchlint.model.containers.displays import elements_of
from torchlint.model.devices.current import of_some_index
from torchlint.model.devices.literals import device_of, devices_of
from torchlint.model.modules.registered import PARAMETERS
from torchlint.model.options.loaded_settings import LOADERS, loaded_settings
from torchlint.model.options.versions import ASKING, PARSERS, asked_version
from torchlint.model.place import Place
from torchlint.model.results.autocast_state import autocast_answer
from torchlint.model.results.builtin_calls import BUILTIN_CALLS, number
from torchlint.model.results.by_name import computes_tensors, result_computed, result_of_others
from torchlint.model.results.concatenating import end_to_end
from torchlint.model.results.einops_calls import EINOPS
from torchlint.model.results.factories import as_asked, buffer, made, parameter, variable
from torchlint.model.results.machine import device_answer
from torchlint.model.results.mixed_precision import initialized
from torchlint.model.results.norms import NORM_CALLS
from torchlint.model.results.operands import beside_target, of_arguments
from torchlint.model.results.saved_bytes import loaded
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Built,
    Device,
    Function,
    Imported,
    Iterator,
    Literal,
    Number,
    Possibility,
    Text,
    Value,
    ValueSet,
    known,
)
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.companions.apex import INITIALIZE
from torchlint.pytorch.companions.ignite import ENGINE, SUPERVISED_TRAINER
from torchlint.pytorch.companions.tqdm import RANGES
from torchlint.pytorch.companions.transformers import SCHEDULES, TOKENIZER, TOKENIZERS
from torchlint.pytorch.distributed import ALONE
from torchlint.pytorch.factories import FACTORIES, legacy_device
from torchlint.pytorch.graph_breaks import LOGGER_MAKERS
from torchlint.pytorch.modules import MODULE_FACTORIES
from torchlint.pytorch.on_the_host import ENVIRONMENT_MAKERS
from torchlint.pytorch.passing import PASSING
from torchlint.pytorch.processes import CONTEXTS, DEFAULT_CONTEXT, GET_CONTEXT
from torchlint.pytorch.symbols import (
    BUFFER,
    COMPILED,
    CUDA_CONTEXT,
    DEVICE,
    IS_AUTOCAST_ENABLED,
    LAMBDA_LR,
    LOAD,
    MODULE,
    RANDOM_SPLIT,
    SIZE,
    SUBSET,
    VARIABLE,
    is_class_name,
)
from torchlint.syntax.arguments import passed
from torchlint.syntax.around import arguments_of
from torchlint.syntax.device_words import is_about_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_THROUGH = PASSING | PARSERS
_MAKERS = {**ENVIRONMENT_MAKERS, **LOGGER_MAKERS}


def external_call(ev: Evaluator, place: Place, name: str) -> ValueSet:
    """Return what calling something outside the project returns."""
    name = canonical(name)
    if name.startswith("builtins."):
        return _builtin(ev, place, name.removeprefix("builtins."))
    if (answer := _SPECIAL.get(name)) is not None:
        return answer(ev, place)
    if (suffixes := LOADERS.get(name)) is not None:
        return loaded_settings(ev, place, suffixes)
    if (with_step := device_answer(ev, name)) is not None:
        return known(with_step, place)
    if name in ALONE and ev.has_defaults:
        return known(Literal(ALONE[name]), place)
    if name in _THROUGH:
        return ev.evaluate(place.at(arguments_of(place)[0])) if arguments_of(place) else UNKNOWN
    if name in FACTORIES or legacy_device(name) is not None:
        return known(made(ev, place, name), place)
    if (kind := _built_by(name)) is not None:
        return known(Built(kind), place)
    if not computes_tensors(name):
        result = result_of_others(name)
        return known(result, place) if result is not None else UNKNOWN
    operands = end_to_end(ev, place, name, of_arguments(ev, place))
    found = (result_computed(name, beside_target(ev, place, name, operand)) for operand in operands)
    return either(*(known(as_asked(ev, place, one), place) for one in found))


def _built_by(name: str) -> str | None:
    """Return the class of what a class or function of another package makes, None if it makes no such object."""
    if TOKENIZERS.fullmatch(name) is not None:
        return TOKENIZER
    if name.startswith(MODULE_FACTORIES) or name.endswith(".from_pretrained"):
        return MODULE
    if name in {COMPILED, CUDA_CONTEXT, *_MAKERS} or is_class_name(name):
        return _MAKERS.get(name, name)
    return LAMBDA_LR if SCHEDULES.fullmatch(name) is not None else None


def _split(_: Evaluator, place: Place) -> ValueSet:
    """Return the parts of a data set, each of which is a `Subset` of it."""
    return known(Iterator(known(Built(SUBSET), place)), place)


def passes_on(name: str) -> bool:
    """Tell whether calling something outside the project may return its argument, or anything like it."""
    name = canonical(name)
    return name.startswith("builtins.") or name in _THROUGH or name in _SPECIAL


def _builtin(ev: Evaluator, place: Place, name: str) -> ValueSet:
    answer = BUILTIN_CALLS.get(name)
    return answer(ev, place) if answer is not None else UNKNOWN


def _device(ev: Evaluator, place: Place) -> ValueSet:
    """`torch.device("cuda:1")`, `torch.device("cuda", 1)`: the device, whose origin is that of its name."""
    call = place.expression
    assert isinstance(call, ast.Call)
    argument = call.args[0] if call.args else passed(call, "type") or passed(call, "device")
    if argument is None:
        return known(Device(), place)
    found = []
    for named, one in devices_of(ev.evaluate(place.at(argument))):
        device = named
        if len(call.args) > 1:
            device = of_some_index(ev, Device(named.kind, _index(ev, place.at(call.args[1]))))
        elif isinstance(one.value, Text):
            device = of_some_index(ev, named)
        found.append(Possibility(device, one.origin or place, one.story))
    return tuple(found) or known(Device(), place)


def _index(ev: Evaluator, place: Place) -> int | None:
    values = {device_of(one.value) for one in ev.evaluate(place)}
    only = values.pop() if len(values) == 1 else None
    return only.index if only is not None else None


def _environment(ev: Evaluator, place: Place) -> ValueSet:
    """`os.environ.get(name, default)`: the default if the environment does not set it."""
    arguments = arguments_of(place)
    default = ev.evaluate(place.at(arguments[1])) if len(arguments) > 1 else known(Literal(None), place)
    name = arguments[0].value if arguments and isinstance(arguments[0], ast.Constant) else ""
    return default if is_about_device(str(name)) and ev.has_defaults else either(default, UNKNOWN)


def _chained(ev: Evaluator, place: Place) -> ValueSet:
    parts = (elements_of(ev, ev.evaluate(place.at(argument))) for argument in arguments_of(place))
    return known(Iterator(either(*parts)), place)


def _partial(ev: Evaluator, place: Place) -> ValueSet:
    """`functools.partial(f, …)`: `f`, with the arguments bound; one from outside the project is made here."""
    possible = ev.evaluate(place.at(arguments_of(place)[0])) if arguments_of(place) else UNKNOWN
    imported = {one: Possibility(one.value, place, one.story) for one in possible if isinstance(one.value, Imported)}
    return tuple(
        one.of_value(replace(one.value, fixed=place)) if isinstance(one.value, Function) else imported.get(one, one)
        for one in possible
    )


def _version(ev: Evaluator, place: Place) -> ValueSet:
    """`is_torch_version(">=", "2.4")`."""
    arguments = [ev.evaluate(place.at(one)) for one in arguments_of(place)]
    outcome = asked_version(place.file, *arguments) if len(arguments) == 2 else None
    return known(Literal(outcome), place) if outcome is not None else UNKNOWN


def _context(ev: Evaluator, place: Place) -> ValueSet:
    """Return the context that makes processes by one start method."""
    method = passed(place.expression, "method", 0)
    values = [one.value for one in ev.evaluate(place.at(method))] if method is not None else [Literal(None)]
    names: dict[object, str] = dict([(None, DEFAULT_CONTEXT), *CONTEXTS.items()])
    found = [names.get(one.value) if isinstance(one, Literal) else None for one in values]
    return either(*(known(Built(name), place) if name is not None else UNKNOWN for name in found))


def _always(value: Value) -> Callable[[Evaluator, Place], ValueSet]:
    """Return the answer for what returns the same whatever it is given."""
    return lambda _, place: known(value, place)


_SPECIAL: dict[str, Callable[[Evaluator, Place], ValueSet]] = {
    DEVICE: _device,
    LOAD: loaded,
    **dict.fromkeys(("os.environ.get", "os.getenv"), _environment),
    **dict.fromkeys(RANGES, _always(Iterator(known(Number())))),
    **NORM_CALLS,
    "functools.partial": _partial,
    SUPERVISED_TRAINER: _always(Built(ENGINE)),
    SIZE: number,
    "itertools.chain": _chained,
    "os.path.join": _always(Text()),
    **dict.fromkeys(("importlib.import_module", "pytest.importorskip"), imported_by_call),
    **dict.fromkeys(ASKING, _version),
    **dict.fromkeys(PARAMETERS, parameter),
    BUFFER: buffer,
    VARIABLE: variable,
    IS_AUTOCAST_ENABLED: autocast_answer,
    RANDOM_SPLIT: _split,
    INITIALIZE: initialized,
    **dict.fromkeys(GET_CONTEXT, _context),
    **EINOPS,
}
