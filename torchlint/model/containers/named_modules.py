"""Modules by their names, as passed to a container: in a dict, an `OrderedDict`, or pairs of names and modules."""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_POSSIBILITIES
from torchlint.model.containers.lists import stores_into
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.order import in_order
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Display, Literal, Possibility, Value, ValueSet
from torchlint.pytorch.symbols import MODULE_DICT

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_NOTHING: ValueSet = ()
MAPPINGS = frozenset({"collections.OrderedDict", "builtins.dict", MODULE_DICT})
"""What makes a mapping from names to modules."""


def is_mapping(value: Value) -> bool:
    """Tell whether a value holds modules under their names."""
    match value:
        case Display(place=written):
            return isinstance(written.expression, (ast.Dict, ast.DictComp))
        case Built(name=name):
            return name in MAPPINGS
        case _:
            return False


def named_in(ev: Evaluator, one: Possibility, name: object) -> ValueSet:
    """Return what a mapping, or pairs, surely hold under a name; None for any name."""
    match one.value:
        case Display(place=Place(expression=ast.DictComp())) if name is not None:
            return ()
        case Display() if is_mapping(one.value):
            return ev.item((one, name))
        case Built() if is_mapping(one.value):
            return given_to(ev, one, name)
        case _:
            return _in_pairs(ev, one, name)


@tabled(_NOTHING, in_order)
def given_to(ev: Evaluator, mapping: Possibility, name: object) -> ValueSet:
    """Return the arguments that a mapping was made with for a name, None for any, and what was stored there since."""
    made = mapping.origin
    if made is None or not isinstance(made.expression, ast.Call):
        return ()
    # `ModuleDict(modules=heads)` and `OrderedDict(head=Head())` both have keywords.
    is_whole = mapping.value == Built(MODULE_DICT)
    words = {word.arg: word.value for word in made.expression.keywords if word.arg is not None}
    wholes = [*made.expression.args[:1], *(words.values() if is_whole else ())]
    parts = [value for word, value in words.items() if not is_whole and name in {None, word}]
    return either(
        *(named_in(ev, inner, name) for whole in wholes for inner in ev.evaluate(made.at(whole))),
        *(ev.evaluate(made.at(part)) for part in parts),
        *_put_into(ev, made, name),
    )


def _put_into(ev: Evaluator, made: Place, name: object) -> list[ValueSet]:
    """Return what `layers[name] = …` stores in a mapping by the name it is assigned to."""
    found = []
    for store in islice(stores_into(made), MOST_POSSIBILITIES):
        stored = Place(made.file, store.value or store.target, store.statement, made.frame, made.given)
        is_named = isinstance(store.key, ast.expr) and _is(name, ev.evaluate(stored.at(store.key)))
        if store.value is not None and (name is None or is_named):
            found.append(ev.evaluate(stored))
    return found


def _in_pairs(ev: Evaluator, pairs: Possibility, name: object) -> ValueSet:
    found = (pair for pair in ev.elements(pairs) if name is None or _is(name, ev.item((pair, 0))))
    return either(*(ev.item((pair, 1)) for pair in found))


def _is(name: object, possible: ValueSet) -> bool:
    return any(isinstance(one.value, Literal) and one.value.value == name for one in possible)
