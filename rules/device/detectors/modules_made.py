"""Modules that a call makes on the host, with parameters or buffers that are all their own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Class, Instance, Literal, Possibility, Unknown
from torchlint.pytorch.companions.torchmetrics import COUNTING
from torchlint.pytorch.layers import AROUND_OTHERS, SWITCHES, WEIGHTED, Switch
from torchlint.pytorch.modules import MODELS, PLACING
from torchlint.pytorch.symbols import MODULE, NN
from torchlint.pytorch.wrappers import WRAPPERS
from torchlint.syntax.arguments import has_open_keywords, passed
from torchlint.syntax.around import contexts_around

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_MOVING = (".to(", ".cuda(", "device", "to_empty(", "prepare(", "_apply(")


@tabled(False)
def has_tensors(ev: Evaluator, module: Possibility) -> bool:
    """Tell whether a layer of PyTorch surely has parameters or buffers, or a class of the project may have."""
    made, name = module.origin, _layer(module)
    if isinstance(module.value, Built) and COUNTING.fullmatch(module.value.name):
        return True
    if made is None or not isinstance(made.expression, ast.Call) or not name:
        return isinstance(module.value, Instance)
    if name == "Module":
        return any(MODELS.fullmatch(one) for one in made.at(made.expression.func).names)
    if name == "Sequential":
        return any(_all_have(ev, made.at(part)) for part in made.expression.args)
    return name in WEIGHTED or any(_is_on(ev, made, one) for one in SWITCHES.get(name, ()))


def _layer(module: Possibility) -> str:
    """Return the last name of a layer of PyTorch: `Linear`."""
    name = module.value.name if isinstance(module.value, Built) else ""
    return name.removeprefix(NN) if name.startswith(NN) else ""


def _all_have(ev: Evaluator, part: Place) -> bool:
    possible = ev.evaluate(part)
    return bool(possible) and all(has_tensors(ev, one) for one in possible)


def _is_on(ev: Evaluator, made: Place, switch: Switch) -> bool:
    given = passed(made.expression, switch.name, switch.position)
    if given is None:
        return switch.default
    return [one.value for one in ev.evaluate(made.at(given))] == [Literal(True)]


def moves_itself(ev: Evaluator, kind: Class) -> bool:
    """Tell whether a class, or a base, mentions devices or is not known."""
    return any(
        base != MODULE if isinstance(base, str) else any(word in _code(base) for word in _MOVING)
        for base in family(ev, kind)
    )


def _code(kind: Class) -> str:
    return kind.file.code_of(kind.scope.node)


def is_made_on_host(ev: Evaluator, module: Possibility, made: Place) -> bool:
    """Tell whether a call makes a module of its own on the default device."""
    place: Place | None = made
    while place is not None:
        if any(True for _ in contexts_around(place)):
            return False
        place = place.frame.call if place.frame is not None else None
    assert isinstance(made.expression, ast.Call)
    match module.value:
        case Built(name=name):
            placing = (passed(made.expression, one) for one in PLACING)
            is_placed = has_open_keywords(made.expression) or any(one is not None for one in placing)
            return name not in WRAPPERS and not is_placed and _holds_its_own(ev, module, made)
        case Instance(kind=kind):
            return is_module(ev, module.value) and not moves_itself(ev, kind) and _holds_its_own(ev, module, made)
        case _:
            return False


def _holds_its_own(ev: Evaluator, module: Possibility, made: Place) -> bool:
    """Tell whether all module arguments of a module are made for it: `nn.Sequential(nn.Linear(4, 2), nn.ReLU())`."""
    assert isinstance(made.expression, ast.Call)
    is_around = _layer(module) in AROUND_OTHERS
    given = (*made.expression.args, *(word.value for word in made.expression.keywords))
    return all(_is_own_module(ev, at) or not _may_be_module(ev, at, is_around) for at in map(made.at, given))


def _may_be_module(ev: Evaluator, given: Place, is_around: bool) -> bool:
    possible = [one.value for one in ev.evaluate(given)]
    return any(is_module(ev, one) or (is_around and isinstance(one, Unknown)) for one in possible)


def _is_own_module(ev: Evaluator, given: Place) -> bool:
    """Tell whether an argument is a call that makes a module on the host."""
    possible = ev.evaluate(given) if isinstance(given.expression, ast.Call) else ()
    return bool(possible) and all(
        one.origin is not None and one.origin.expression is given.expression and is_made_on_host(ev, one, given)
        for one in possible
    )
