"""Whether a module surely computes something else in train mode: it always has dropout, or a batch norm."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Class, Instance, Possibility, ValueSet
from torchlint.pytorch.symbols import SEQUENTIAL
from torchlint.syntax.arguments import has_open_keywords, has_star, passed

from .two_modes import PLAIN_BASES

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Store

_DROPPING = re.compile(r"torch\.nn\.(Alpha|FeatureAlpha)?Dropout(\dd)?$")
_NORMALIZING = re.compile(r"torch\.nn\.(Lazy)?BatchNorm\dd$|torch\.nn\.SyncBatchNorm$")


def are_moded(ev: Evaluator, possible: ValueSet) -> bool:
    """Tell whether every possibility of a module computes something else in train mode than in eval mode."""
    return bool(possible) and all(_is_moded(ev, one) for one in possible)


@tabled(False)
def _is_moded(ev: Evaluator, one: Possibility) -> bool:
    if (inner := unwrapped(ev, one)) is not None:
        return are_moded(ev, inner)
    match one.value:
        case Built(name=name) if one.origin is not None:
            return _is_moded_layer(ev, name, one.origin)
        case Instance(kind=kind):
            return _is_of_moded(ev, kind)
        case _:
            return False


def _is_moded_layer(ev: Evaluator, name: str, made: Place) -> bool:
    call = made.expression
    if not isinstance(call, ast.Call) or has_open_keywords(call) or has_star(call.args):
        return False
    if name == SEQUENTIAL:
        return any(are_moded(ev, ev.evaluate(made.at(part))) for part in call.args)
    if _DROPPING.match(name):
        rate = passed(call, "p", 0)
        return rate is None or _is_surely_true(made.at(rate))
    tracking = passed(call, "track_running_stats")
    return _NORMALIZING.match(name) is not None and (tracking is None or _is_surely_true(made.at(tracking)))


def _is_surely_true(place: Place) -> bool:
    """Tell whether every possibility of an argument is a constant that is true."""
    return all(place.literals or (False,))


def _is_of_moded(ev: Evaluator, kind: Class) -> bool:
    """Tell whether a class, whose bases have no modes of their own, always has such a layer."""
    classes = family(ev, kind)
    if any(isinstance(one, str) and one not in PLAIN_BASES for one in classes):
        return False
    return any(_keeps_moded(ev, one) for one in classes if isinstance(one, Class))


def _keeps_moded(ev: Evaluator, kind: Class) -> bool:
    values = (Place(kind.file, store.value, store.statement) for store in _kept_always(kind) if store.value is not None)
    return any(are_moded(ev, ev.evaluate(value)) for value in values)


def _kept_always(kind: Class) -> Iterator[Store]:
    """Yield the attributes that the constructor of a class sets unconditionally, and that are read."""
    index = kind.file.index
    for store in index.stores:
        block = index.home[store.statement][0]
        is_own = block.scope.outer is kind.scope and block.scope.name == "__init__"
        if is_own and block.owner is block.scope.node and isinstance(store.key, str) and _is_read(kind, store.key):
            yield store


def _is_read(kind: Class, name: str) -> bool:
    return kind.file.code_of(kind.scope.node).count(f".{name}") > 1
