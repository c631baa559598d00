"""`.module` of a model that may not be wrapped."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.guards.contradictions import exclude_each_other, is_implied
from torchlint.model.parallel.wrappers import Wrapping, wrapping
from torchlint.model.place import Place
from torchlint.model.values.kinds import has_attribute
from torchlint.model.values.value_sets import Possibility
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.overwriting import lasting_stores
from torchlint.syntax.walk import written

from ...device.detectors.lacking import LackingModule, lacking_modules
from .nested_functions import is_defined_behind
from .probing import is_probed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# A test of the number of processes or GPUs most likely had the same outcome where the model was wrapped.
_ABOUT_SEVERAL = re.compile(
    r"parallel|distribut|ddp|(?<![a-z])dp(?![a-z])|multi|gpu|world|rank|device_count|fsdp|launcher|wrap|module|local|"
    r"main_proc|master",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class BareModule:
    """A `.module` that is read from something that only may be a wrapper."""

    place: Place
    owner: Place
    wrapping: Wrapping
    bare: Possibility


def bare_modules(ev: Evaluator, file: ParsedFile) -> Iterator[BareModule]:
    """Yield where a file takes off a wrapper that may not be there, in source order."""
    for node, statement in file.attribute_reads("module"):
        place = Place(file, node, statement)
        if is_probed(place, written(node.value)) or _is_about_several(place):
            continue
        possible = ev.evaluate(place.at(node.value))
        wrapped = next((found for one in possible if (found := wrapping(ev, one)) is not None), None)
        bare = [one for one in possible if has_attribute(ev, one, "module") is False]
        if wrapped is None or is_defined_behind(place, wrapped.place) or is_implied(wrapped.place, place):
            continue
        # Where the wrapper cannot be, something unknown may have a `.module`: the engine of `if args.deepspeed:`.
        is_unknown = any(one not in bare and wrapping(ev, one) is None for one in possible)
        if is_unknown and exclude_each_other(place, wrapped.place):
            continue
        if bare and len(bare) < len(possible) and _stays_bare(ev, place.at(node.value)):
            yield BareModule(place, place.at(node.value), wrapped, bare[0])


def never_wrapped(ev: Evaluator, file: ParsedFile) -> Iterator[LackingModule]:
    """Yield where a file takes off a wrapper, and nothing wraps the module that is seen to get there."""
    for found in lacking_modules(ev, file, "module"):
        if not is_probed(found.place, found.module.code) and not _is_about_several(found.place):
            yield found


def _stays_bare(ev: Evaluator, owner: Place) -> bool:
    """Tell whether an attribute may hold a bare model for longer than until its method wraps it."""
    if not isinstance(owner.expression, ast.Attribute):
        return True
    stores = [store for store in lasting_stores(owner) if store.value is not None and store.kind == "assign"]
    values = [ev.evaluate(Place(owner.file, store.value, store.statement)) for store in stores if store.value]
    bare = (has_attribute(ev, one, "module") is False for possible in values for one in possible)
    return any(bare) or not stores


def _is_about_several(place: Place) -> bool:
    """Tell whether a dominating condition is about how the program runs, and so may imply the wrapper."""
    return any(_ABOUT_SEVERAL.search(written(condition.test)) for condition in dominating_conditions(place))
