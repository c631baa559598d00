"""What ModuleList, ModuleDict and Sequential hold: their constructor's arguments, and what is added later."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_POSSIBILITIES
from torchlint.model.containers.displays import elements_of
from torchlint.model.containers.lists import added_to, items_put_into
from torchlint.model.containers.named_modules import given_to, is_mapping, named_in
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Built, Possibility, Unknown, Value, ValueSet
from torchlint.pytorch.symbols import MODULE_DICT, MODULE_LIST, SEQUENTIAL
from torchlint.syntax.arguments import has_star

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_CONTAINERS = frozenset({MODULE_LIST, MODULE_DICT, SEQUENTIAL})


def is_container(value: Value) -> bool:
    """Tell whether a value is a container of modules that PyTorch itself defines."""
    return isinstance(value, Built) and value.name in _CONTAINERS


def modules_in(ev: Evaluator, container: Possibility) -> ValueSet:
    """Return the modules that a container may hold, unknown if none are known."""
    origin = container.origin
    if origin is None or not isinstance(origin.expression, ast.Call):
        return UNKNOWN
    return either(*_given(ev, container, origin), *_put_into(ev, origin)) or UNKNOWN


def module_at(ev: Evaluator, container: Possibility, key: object) -> ValueSet:
    """Return the module that a container holds under a key, any of its modules if the key is unknown."""
    found = _given_at(ev, container, key) if key is not None else ()
    return found if any(not isinstance(one.value, Unknown) for one in found) else modules_in(ev, container)


def module_named(ev: Evaluator, container: Possibility, name: str) -> ValueSet:
    """Return the module that is an attribute of a container because it was passed under that name."""
    match container.value:
        case Built(name=kind) if kind == MODULE_DICT:
            found = given_to(ev, container, name)
        case Built(name=kind) if kind == SEQUENTIAL:
            given = _arguments(container)[:1]
            whole = [one for place in given for one in ev.evaluate(place) if is_mapping(one.value)]
            found = either(*(named_in(ev, one, name) for one in whole))
        case _:
            return ()
    return tuple(one for one in found if not isinstance(one.value, Unknown))


def _given_at(ev: Evaluator, container: Possibility, key: object) -> ValueSet:
    """Return what a container was made with for one key."""
    if container.value == Built(MODULE_DICT):
        return given_to(ev, container, key)
    given = _arguments(container)
    if not _takes_modules(container):
        return either(*(ev.item((one, key)) for place in given[:1] for one in ev.evaluate(place)))
    if not isinstance(key, int) or not 0 <= key < len(given):
        return ()
    is_certain = not has_star(place.expression for place in given[: key + 1])
    return _element(ev, given[key]) if is_certain else ()


def _arguments(container: Possibility) -> list[Place]:
    origin = container.origin
    call = origin.expression if origin is not None else None
    return [origin.at(one) for one in call.args] if origin is not None and isinstance(call, ast.Call) else []


def _takes_modules(container: Possibility) -> bool:
    """Tell whether a container's arguments are single modules: `Sequential(a, b)`."""
    return container.value == Built(SEQUENTIAL)


def _given(ev: Evaluator, container: Possibility, origin: Place) -> Iterator[ValueSet]:
    """Yield the arguments of the call that made a container."""
    assert isinstance(origin.expression, ast.Call)
    given = [*origin.expression.args, *(word.value for word in origin.expression.keywords if word.arg is not None)]
    for argument in given[:MOST_POSSIBILITIES]:
        if _takes_modules(container):
            yield _element(ev, origin.at(argument))
        elif container.value == Built(MODULE_DICT):
            yield from (named_in(ev, one, None) for one in ev.evaluate(origin.at(argument)))
        else:
            yield elements_of(ev, ev.evaluate(origin.at(argument)))


def _element(ev: Evaluator, argument: Place) -> ValueSet:
    """Return the modules that one argument of a Sequential adds."""
    if isinstance(argument.expression, ast.Starred):
        return elements_of(ev, ev.evaluate(argument.at(argument.expression.value)))
    possible = ev.evaluate(argument)
    return either(*(named_in(ev, one, None) if is_mapping(one.value) else (one,) for one in possible))


def _put_into(ev: Evaluator, origin: Place) -> Iterator[ValueSet]:
    for added, is_whole in added_to(origin):
        value = ev.evaluate(added)
        yield elements_of(ev, value) if is_whole else value
    for stored in items_put_into(origin):
        yield ev.evaluate(stored)
