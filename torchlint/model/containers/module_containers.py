"""What ModuleList, ModuleDict and Sequential hold: what they are built of, and what is put into them afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.containers.lists import added_to, items_put_into
from torchlint.model.syntax.arguments import has_star
from torchlint.model.values.possible import MOST, UNKNOWN, Built, Display, Possibility, Possible, Unknown, Value, either

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.model.values.evaluator import Evaluator

SEQUENTIAL = "torch.nn.Sequential"
MODULE_DICT = "torch.nn.ModuleDict"
_CONTAINERS = frozenset({"torch.nn.ModuleList", MODULE_DICT, SEQUENTIAL})
_MAPPINGS = frozenset({"collections.OrderedDict", "builtins.dict"})


def is_container(value: Value) -> bool:
    """Tell whether a value is a container of modules that PyTorch itself defines."""
    return isinstance(value, Built) and value.name in _CONTAINERS


def modules_in(ev: Evaluator, container: Possibility) -> Possible:
    """Return the modules that a container may hold, unknown where nobody says."""
    origin = container.origin
    if origin is None or not isinstance(origin.expression, ast.Call):
        return UNKNOWN
    return either(*_given(ev, container, origin), *_put_into(ev, origin)) or UNKNOWN


def module_at(ev: Evaluator, container: Possibility, key: object) -> Possible:
    """Return the module that a container holds under a key, any of its modules where the key tells nothing."""
    found = _given_at(ev, container, key) if key is not None else ()
    return found if any(not isinstance(one.value, Unknown) for one in found) else modules_in(ev, container)


def _given_at(ev: Evaluator, container: Possibility, key: object) -> Possible:
    """Return what the call that made a container was given for one key."""
    origin = container.origin
    if origin is None or not isinstance(origin.expression, ast.Call) or not origin.expression.args:
        return ()
    given = origin.expression.args
    if not _takes_modules(container):
        return either(*(ev.item((one, key)) for one in ev.evaluate(origin.at(given[0]))))
    is_told = isinstance(key, int) and 0 <= key < len(given) and not has_star(given[: key + 1])
    return _element(ev, origin.at(given[key])) if isinstance(key, int) and is_told else ()


def _takes_modules(container: Possibility) -> bool:
    """Tell whether a container is given its modules one by one: `Sequential(a, b)`."""
    return isinstance(container.value, Built) and container.value.name == SEQUENTIAL


def _given(ev: Evaluator, container: Possibility, origin: Place) -> Iterator[Possible]:
    """Yield what the call that made a container was given."""
    assert isinstance(origin.expression, ast.Call)
    given = [*origin.expression.args, *(word.value for word in origin.expression.keywords if word.arg is not None)]
    for argument in given[:MOST]:
        if _takes_modules(container):
            yield _element(ev, origin.at(argument))
        else:
            yield from (_in_mapping(ev, one) or ev.elements(one) for one in ev.evaluate(origin.at(argument)))


def _element(ev: Evaluator, argument: Place) -> Possible:
    """Return the modules that one argument of a Sequential stands for."""
    if isinstance(argument.expression, ast.Starred):
        return _elements(ev, ev.evaluate(argument.at(argument.expression.value)))
    return either(*(_in_mapping(ev, one) or (one,) for one in ev.evaluate(argument)))


def _in_mapping(ev: Evaluator, one: Possibility) -> Possible:
    """Return the values of a dict, or of the pairs that an `OrderedDict` is made of; nothing of what is neither."""
    match one.value:
        case Display(place=written) if isinstance(written.expression, (ast.Dict, ast.DictComp)):
            return ev.item((one, None))
        case Built(name=name) if name in _MAPPINGS and one.origin is not None:
            call = one.origin.expression
            pairs = call.args[0] if isinstance(call, ast.Call) and call.args else None
            inner = ev.evaluate(one.origin.at(pairs)) if pairs is not None else ()
            return either(*(_in_mapping(ev, whole) or _seconds(ev, whole) for whole in inner))
        case _:
            return ()


def _seconds(ev: Evaluator, pairs: Possibility) -> Possible:
    return either(*(ev.item((pair, 1)) for pair in ev.elements(pairs)))


def _put_into(ev: Evaluator, origin: Place) -> Iterator[Possible]:
    for added, is_whole in added_to(origin):
        value = ev.evaluate(added)
        yield _elements(ev, value) if is_whole else value
    for stored in items_put_into(origin):
        yield ev.evaluate(stored)


def _elements(ev: Evaluator, possible: Possible) -> Possible:
    return either(*(ev.elements(one) for one in possible))
