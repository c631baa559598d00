"""What a program itself stores in its options: `args.device = "cpu"` if there is no CUDA."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import may_be_one_program
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Options, Unknown, ValueSet
from torchlint.syntax.device_words import asks_about_device
from torchlint.syntax.dominating_conditions import Condition, Iteration
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Store

_OPTION_OBJECTS = re.compile(
    r"(^|_)(args?|opts?|options?|cfg|conf|config|configs|flags?|hparams?|params?|settings?|hps?)(_|$)"
)

# The most files that may store into one option; of more, each does so for its own program.
_MOST_FILES = 6
_MOST_NAMES = 10_000


@dataclass(frozen=True, slots=True)
class StoredOption:
    """The values that are stored in an option, and the files that always store one, which replaces the default."""

    values: ValueSet
    settled_by: frozenset[ParsedFile]


def holds_options(owner: ast.expr) -> bool:
    """Tell whether something has a usual name of the results of `parse_args`, or of a configuration."""
    match owner:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return is_called_options(name)
        case _:
            return False


@lru_cache(_MOST_NAMES)
def is_called_options(name: str) -> bool:
    """Tell whether a name is a usual one of options."""
    return _OPTION_OBJECTS.search(name.lower()) is not None


def stored_option(
    ev: Evaluator,
    place: Place,
    owner: ast.expr,
    name: str,
    declaring: Iterable[ParsedFile],
    made: Place | None = None,
    *,
    is_parsed: bool = False,
) -> StoredOption:
    """Return what its own file stores in `owner.name`, and those that declare it.

    If the call that `made` the object is known, or that it `is_parsed`, what is stored in others is left out.
    """
    index, text = place.file.index, written(owner)
    same = [store for store in index.attribute_stores(name) if written(store.target) == text]
    here = [store for store in same if index.home[store.statement][0].scope is place.scope]
    found: list[ValueSet] = []
    if here:
        reached = reaching(index, here, place.statement, ev.decide(place))
        found += [value_of_store(ev, place, store) for store in reached.definitions]
        if not reached.open:
            return StoredOption(either(*found), frozenset({place.file}))
    if made is not None:
        files = dict.fromkeys((place.file, *declaring))
        stores = ((file, store) for file in files for store in file.index.attribute_stores(name) if store not in here)
        elsewhere = [(file, store) for file, store in stores if _is_into(ev, file, store, made)]
    else:
        elsewhere = [(place.file, store) for store in same if store not in here and text != "self"]
        for file in (one for one in dict.fromkeys(declaring) if one is not place.file):
            stored = file.index.attribute_stores(name)
            elsewhere += [(file, store) for store in stored if holds_options(store.target)]
        if is_parsed:
            elsewhere = [(file, store) for file, store in elsewhere if not _is_into_others(ev, file, store)]
    settling: set[ParsedFile] = set()
    for file, store in elsewhere:
        is_run = _is_run(ev, file, store)
        if is_run is not False:
            found.append(value_of_store(ev, Place(file, store.target, store.statement), store))
        if is_run:
            settling.add(file)
    return StoredOption(either(*found), frozenset(settling))


def taken_back(ev: Evaluator, place: Place, name: str, declaring: ParsedFile) -> ValueSet:
    """Return what a third file stores in an option that another one declares, as helpers shared by programs do."""
    found: list[ValueSet] = []
    for path in islice(ev.project.library.holding(f".{name} ="), _MOST_FILES):
        file = ev.project.parsed(path)
        # A file that declares the option too does so for a program of its own.
        if file is None or file in {place.file, declaring} or name in file.options:
            continue
        if may_be_one_program(ev, declaring, file) and may_be_one_program(ev, file, place.file):
            stores = (store for store in file.index.attribute_stores(name) if holds_options(store.target))
            found += [
                value_of_store(ev, Place(file, store.target, store.statement), store)
                for store in stores
                if _is_run(ev, file, store)
            ]
    return either(*found)


def value_of_store(ev: Evaluator, place: Place, store: Store) -> ValueSet:
    """Return the value that is stored in an option."""
    if store.value is None or store.selector or store.kind != "assign":
        return UNKNOWN
    return ev.evaluate(Place(place.file, store.value, store.statement, place.frame, place.given))


def _is_into(ev: Evaluator, file: ParsedFile, store: Store, made: Place) -> bool:
    """Tell whether the object that is stored into may be the one that a call made."""
    owners = ev.evaluate(Place(file, store.target, store.statement))
    return any(one.origin is not None and one.origin.key == made.key for one in owners)


def _is_into_others(ev: Evaluator, file: ParsedFile, store: Store) -> bool:
    """Tell whether the object that is stored into is surely no result of parsing, whatever its name."""
    owners = ev.evaluate(Place(file, store.target, store.statement))
    return bool(owners) and not any(isinstance(one.value, (Options, Unknown)) for one in owners)


def _is_run(ev: Evaluator, file: ParsedFile, store: Store) -> bool | None:
    """Tell whether a store runs whenever its function does: under no test, or with each holding; None if open."""
    block, _ = file.index.home[store.statement]
    if block.owner is block.scope.node or block.owner is None:
        return True
    outcomes = [_comes_out(ev, file, one) for one in file.conditions_at(store.statement, store.target)]
    if False in outcomes:
        return False
    return None if None in outcomes or not isinstance(block.owner, ast.If) else True


def _comes_out(ev: Evaluator, file: ParsedFile, one: Condition | Iteration) -> bool | None:
    """Tell whether a condition of a store holds; only those about devices are evaluated."""
    if not isinstance(one, Condition) or not asks_about_device(one.test):
        return None
    outcome = ev.truth(Place(file, one.test, one.statement))
    return None if outcome is None else outcome is one.holds
