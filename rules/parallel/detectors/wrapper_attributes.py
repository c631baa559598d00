"""Attributes of a module that are read from its wrapper, which does not have them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.parallel.wrappers import Wrapping, makes_data_parallel, may_wrap, unwrapped, wrapping
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Instance, Possibility
from torchlint.pytorch.companions.deepspeed import OF_ENGINE
from torchlint.pytorch.module_attributes import RUN_ON_MODULES
from torchlint.pytorch.symbols import DISTRIBUTED, MODULE
from torchlint.pytorch.wrapper_attributes import NOT_OF_MODULES, OF_WRAPPER
from torchlint.syntax.around import is_self
from torchlint.syntax.walk import written

from .alternative_functions import are_alternatives
from .before_wrapping import runs_before_wrapping
from .kept_apart import is_kept_apart
from .private_attributes import is_had_inside, is_private_to_torch
from .probing import is_probed
from .process_groups import may_be_one_of_several
from .set_options import is_let_in_by_none

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class HiddenAttribute:
    """An attribute that is read from a wrapper and that only the module inside may have."""

    place: Place
    wrapping: Wrapping
    is_sure: bool
    """Whether the owner is always a wrapper, and not only on some machines or with some options."""

    @property
    def is_launched(self) -> bool:
        """Tell whether only a program that is launched as several processes may have the wrapper here."""
        return not self.is_sure and self.wrapping.name == DISTRIBUTED


def hidden_attributes(ev: Evaluator, file: ParsedFile) -> Iterator[HiddenAttribute]:
    """Yield where a file reads from DataParallel or DistributedDataParallel what these do not have, in source order."""
    if not ev.project.once(makes_data_parallel):
        return
    for node, statement in file.all_attribute_reads():
        if node.attr in NOT_OF_MODULES or is_private_to_torch(node.attr) or is_self(node.value):
            continue
        if not isinstance(node.value, (ast.Name, ast.Attribute)):
            continue
        place = Place(file, node, statement)
        owner = place.at(node.value)
        possible = ev.evaluate(owner)
        hiding = [found for one in possible if (found := _hiding(ev, one, node.attr)) is not None]
        wrapped = [found for found in hiding if not _is_on_another_path(ev, place, found)]
        is_sure = len(wrapped) == len(possible)
        # If it may be FSDP as well, a test that is not evaluated here may exclude the others.
        if not is_sure and len(hiding) < sum(may_wrap(ev, one) for one in possible):
            continue
        if not wrapped or is_probed(place, written(node.value)) or _is_put_there(ev, place):
            continue
        if _is_of_engine(ev, wrapped[0], node.attr):
            continue
        wrapped = [found for found in wrapped if not are_alternatives(ev, place, found.place)]
        if not (wrapped := [found for found in wrapped if not runs_before_wrapping(ev, place, found.place)]):
            continue
        hidden = HiddenAttribute(place, wrapped[0], is_sure)
        if is_sure or not _is_elsewhere(ev, hidden, owner, wrapped):
            yield hidden


def _is_on_another_path(ev: Evaluator, place: Place, found: Wrapping) -> bool:
    return exclude_each_other(place, found.place) or is_let_in_by_none(ev, found.place)


def _hiding(ev: Evaluator, one: Possibility, name: str) -> Wrapping | None:
    """Return how a value is one of the wrappers themselves, and not of a subclass that may forward attributes."""
    if not isinstance(one.value, Built) or one.value.name not in OF_WRAPPER or name in OF_WRAPPER[one.value.name]:
        return None
    # Any other private name may be one that PyTorch has in another version.
    if name.startswith("_") and not is_had_inside(ev, one, name):
        return None
    return wrapping(ev, one)


def _is_elsewhere(ev: Evaluator, hidden: HiddenAttribute, owner: Place, wrapped: list[Wrapping]) -> bool:
    """Tell whether what may be wrapped most likely is so in other runs or objects, or is another model."""
    if _is_by_request(ev, hidden.wrapping) or _is_alone(ev, hidden):
        return True
    return all(is_kept_apart(ev, owner, found.possibility) for found in wrapped)


def _is_alone(ev: Evaluator, hidden: HiddenAttribute) -> bool:
    """Tell whether only a launched program wraps, and this one is none."""
    return hidden.is_launched and not may_be_one_of_several(ev, hidden.place)


def _is_by_request(ev: Evaluator, wrapped: Wrapping) -> bool:
    """Tell whether a method wraps a model of its object, and is only called under a test.

    Which objects it was called on is unknown: `if args.distributed: task.prepare_distributed()`.
    """
    place = wrapped.place
    if not place.scope.is_method or place.scope.name == "__init__" or not any("." in name for name in place.bound_to):
        return False
    callers = ev.callers_of(place.file, place.scope)
    return all(caller.tests for caller in callers)


def _is_put_there(ev: Evaluator, place: Place) -> bool:
    """Tell whether a program stores that attribute in some wrapper itself, in any file: `model.hyp = hyp`."""
    assert isinstance(place.expression, ast.Attribute)
    for location in ev.project.library.holding(place.expression.attr):
        file = ev.project.parsed(location)
        for store in file.index.attribute_stores(place.expression.attr) if file is not None else ():
            assert file is not None
            owner = Place(file, store.target, store.statement)
            if any(wrapping(ev, one) for one in ev.evaluate(owner)) or _may_be_any_module(ev, owner):
                return True
    return False


def _may_be_any_module(ev: Evaluator, place: Place) -> bool:
    """Tell whether something is each module in turn: `for m in net.modules()`, or the argument of a hook or `apply`."""
    if any(isinstance(one.value, Built) and one.value.name == MODULE for one in ev.evaluate(place)):
        return True
    name = place.expression.id if isinstance(place.expression, ast.Name) else ""
    is_given = any(one.kind == "parameter" for one in place.scope.bindings.get(name, ())) and not place.scope.is_method
    return is_given and any(True for called in RUN_ON_MODULES for _ in place.file.index.calls(called))


def _is_of_engine(ev: Evaluator, wrapped: Wrapping, name: str) -> bool:
    """Tell whether an attribute is rather of DeepSpeed's engine, which may be in place of a wrapper."""
    if name not in OF_ENGINE:
        return False
    modules = unwrapped(ev, wrapped.possibility) or ()
    return not any(isinstance(m.value, Instance) and method_of(ev, m.value.kind, name) is not None for m in modules)
