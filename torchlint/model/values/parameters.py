"""What a parameter may be: what the call in the frame passes, else what every known caller passes, else its default."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.call_graph.building import callers_for
from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.devices.home_only import stays_at_home
from torchlint.model.guards.path_conditions import facts_for_others, given_besides
from torchlint.model.options.command_options import declared_for
from torchlint.model.parallel.device_transfer import scattered
from torchlint.model.place import Caller, Place
from torchlint.model.tensors.compared import is_compared_whole
from torchlint.model.tensors.given_arrays import is_given_as_array, may_be_array
from torchlint.model.tensors.mappings import CallersOfBuilt, is_collection, is_taken_apart
from torchlint.model.tensors.sizing import is_a_size
from torchlint.model.test_files import is_of_tests
from torchlint.model.values.annotations import value_of_annotation
from torchlint.model.values.frames import frame_into
from torchlint.model.values.joins import either, join_fairly
from torchlint.model.values.parameter_contracts import by_contract
from torchlint.model.values.unpacked import unpacked, with_step
from torchlint.model.values.value_sets import (
    CUT,
    UNKNOWN,
    Class,
    Device,
    Function,
    Instance,
    Possibility,
    Tensor,
    Tuple,
    Unknown,
    ValueSet,
    known,
)
from torchlint.syntax.arguments import has_star
from torchlint.syntax.around import class_around
from torchlint.syntax.device_words import is_about_device
from torchlint.syntax.scope import Binding, Parameter, Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def parameter_of(ev: Evaluator, place: Place, binding: Binding) -> ValueSet:
    """Return what the parameter that a binding stands for may be at a place inside its function."""
    function = place.file.index.scope_of(binding.statement)
    parameter = next(p for p in function.parameters if p.name == binding.name)
    if parameter.position == 0 and function.is_method and not function.is_decorated_as("staticmethod"):
        return _receiver(place, function)
    frame = frame_into(place, function)
    if frame is not None and frame.call is not None:
        passed = _passed(ev, place, function, parameter, Caller.of_frame(frame, frame.call))
        return scattered(ev, frame, passed)
    return _from_callers(ev, place, function, parameter, frame.receiver if frame is not None else None)


def argument_of_lambda(ev: Evaluator, place: Place, function: ast.expr) -> ValueSet:
    """Return what the parameter of a lambda is, where the call that led into it is known."""
    frame = place.frame
    if frame is None or frame.call is None or frame.function is not function or not isinstance(function, ast.Lambda):
        return UNKNOWN
    assert isinstance(place.expression, ast.Name)
    assert isinstance(frame.call.expression, ast.Call)
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    passed = frame.call.expression.args
    if place.expression.id not in names or has_star(passed):
        return UNKNOWN
    position = names.index(place.expression.id)
    return ev.evaluate(frame.call.at(passed[position])) if position < len(passed) else UNKNOWN


def _receiver(place: Place, function: Scope) -> ValueSet:
    """Return the receiver: `self` or `cls`."""
    assert function.outer is not None
    kind = Class(place.file, function.outer)
    if function.is_decorated_as("classmethod"):
        return known(kind)
    frame = place.frame
    if frame is not None and frame.function is function and frame.receiver is not None:
        return (frame.receiver,)
    return known(Instance(kind))


def _from_callers(
    ev: Evaluator, place: Place, function: Scope, parameter: Parameter, receiver: Possibility | None
) -> ValueSet:
    callers = _callers(ev, Function(place.file, function), parameter, receiver)
    if _is_input(ev, place, function, parameter):
        return either(_collections(ev, place, function, parameter, callers), known(Tensor(Device())))
    inside = tuple(caller for caller in callers if not caller.is_of_user)
    if not inside:
        return _not_passed(ev, place, function, parameter)
    feeding = _feeding(parameter, inside)
    found = [
        ev.one_call_deeper(partial(_passed, ev, place, function, parameter, caller))
        for caller in feeding[:MOST_CALLERS]
    ]
    if len(inside) < len(callers) or _are_only_tests(place.file, inside):
        found.append(_not_passed(ev, place, function, parameter))
    if len(feeding) > MOST_CALLERS:
        found.append(CUT)
    merged = join_fairly(*found)
    if all(isinstance(one.value, Unknown) for one in merged):
        return _annotated(ev, place, function, parameter)
    return merged


def _callers(
    ev: Evaluator, function: Function, parameter: Parameter, receiver: Possibility | None
) -> tuple[Caller, ...]:
    """Return the calls of a function, those of modules included if the parameter is a device: `net(x, device=device)`.

    They are many, and the other inputs of modules do not depend on them.
    """
    callers = callers_for(ev, function, receiver)
    if callers and is_about_device(parameter.name):
        return tuple(dict.fromkeys((*callers, *object_callers_of(ev, function))))
    return callers


def _are_only_tests(file: ParsedFile, callers: tuple[Caller, ...]) -> bool:
    """Tell whether tests alone call a function in view: whatever it was written for may pass anything else."""
    return not is_of_tests(file) and all(is_of_tests(caller.place.file) for caller in callers)


def _not_passed(ev: Evaluator, place: Place, function: Scope, parameter: Parameter) -> ValueSet:
    """Return what a parameter is if no known call passes it: its default, as users leave options about devices.

    Else what its annotation says, or how the function uses it.
    """
    default = _default(ev, place, function, parameter)
    if default and is_about_device(parameter.name) and ev.has_defaults:
        return default
    said = _annotated(ev, place, function, parameter)
    if all(isinstance(one.value, Unknown) for one in said) and not parameter.star:
        said = by_contract(ev, place.file, function, parameter.name)
    return either(default, said)


def _feeding(parameter: Parameter, callers: tuple[Caller, ...]) -> tuple[Caller, ...]:
    """Return the callers that may differ: one represents all that leave a parameter to its default."""
    if len(callers) <= MOST_CALLERS or parameter.star:
        return callers
    leaving: list[Caller] = []
    giving: list[Caller] = []
    for caller in callers:
        (leaving if caller.argument(parameter) == () else giving).append(caller)
    return (*leaving[:1], *giving)


def _is_input(ev: Evaluator, place: Place, function: Scope, parameter: Parameter) -> bool:
    """Tell whether a parameter is an input of a module's `forward`: on the device that the module was moved to."""
    if function.name != "forward" or not parameter.position or function.outer is None or ev.has_cuda is not True:
        return False
    annotated = _annotated(ev, place, function, parameter)
    is_open = all(isinstance(one.value, (Unknown, Tensor)) for one in annotated) and parameter.default is None
    if not is_open or _is_a_number(ev, place.file, function, parameter.name):
        return False
    kind = Class(place.file, function.outer)
    return is_module(ev, Instance(kind)) and not stays_at_home(kind)


def _is_a_number(ev: Evaluator, file: ParsedFile, function: Scope, name: str) -> bool:
    """Tell whether a function uses a parameter in a way that shows that it is no batch, nor another tensor."""
    return (
        is_compared_whole(file, function, name)
        or is_given_as_array(file, function, name)
        or may_be_array(file, name)
        or is_a_size(ev, file, function, name)
    )


def _collections(
    ev: Evaluator, place: Place, function: Scope, parameter: Parameter, callers: tuple[Caller, ...]
) -> ValueSet:
    """Return the dicts and tuples that callers pass to `forward`, if it reads their items: not all are tensors."""
    if not is_taken_apart(place.file, function, parameter.name):
        return ()
    of_built = ev.project.once(CallersOfBuilt(Function(place.file, function)))
    callers = (*callers, *of_built)[:MOST_CALLERS]
    found = (ev.one_call_deeper(partial(_passed, ev, place, function, parameter, caller)) for caller in callers)
    return tuple(one for one in either(*found) if is_collection(one.value))


def _passed(ev: Evaluator, place: Place, function: Scope, parameter: Parameter, caller: Caller) -> ValueSet:
    """Return what one caller passes for a parameter."""
    argument = caller.argument(parameter)
    if argument is None:
        found = unpacked(ev, caller, parameter, partial(_left, ev, place, function, parameter))
        return UNKNOWN if found is None else found
    if not argument and not parameter.star:
        return _left(ev, place, function, parameter)
    step = caller.place.step(f"passed to `{function.qualified_name}` here")
    given = facts_for_others(place, caller.place.file, of_same_object=class_around(caller.place) is class_around(place))
    passed = [with_step(_elsewhere(ev, one, given), step) for one in argument]
    return known(Tuple(tuple(passed))) if parameter.star else either(*passed)


def _left(ev: Evaluator, place: Place, function: Scope, parameter: Parameter) -> ValueSet:
    """Return the value of a parameter that a call leaves to its default."""
    return _default(ev, place, function, parameter) or UNKNOWN


def _elsewhere(ev: Evaluator, argument: Place, given: frozenset[tuple[str, bool]]) -> ValueSet:
    known = given_besides(argument.given, given)
    return ev.evaluate(Place(argument.file, argument.expression, argument.statement, argument.frame, known))


def _default(ev: Evaluator, place: Place, function: Scope, parameter: Parameter) -> ValueSet:
    """Return the value of a parameter that is not passed: its default, or the option that fills it."""
    if (declared := declared_for(ev, place.file, function, parameter)) is not None:
        return declared
    if parameter.default is None:
        return ()
    assert isinstance(function.node, ast.stmt)
    return ev.evaluate(Place(place.file, parameter.default, function.node))


def _annotated(ev: Evaluator, place: Place, function: Scope, parameter: Parameter) -> ValueSet:
    if parameter.annotation is None or parameter.star:
        return UNKNOWN
    assert isinstance(function.node, ast.stmt)
    return value_of_annotation(ev, Place(place.file, parameter.annotation, function.node))
