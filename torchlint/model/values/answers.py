"""What answers each kind of query, in the modules beside this one and in those of the other folders.

They are half of the model, so they are imported when the first query is asked: of a clean file most often none is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.attributes.dotted import attribute
from torchlint.model.call_graph.call_sites import targets_of
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.callers import callers_of
from torchlint.model.call_graph.class_hierarchy import is_module, iterated
from torchlint.model.call_graph.overriding import subclasses_of
from torchlint.model.call_graph.returns import generated, returned
from torchlint.model.containers.items import elements_of_one, item
from torchlint.model.devices.residence import residence_of
from torchlint.model.guards.cuda import is_guarded
from torchlint.model.guards.narrowing import is_item_asked_for, narrow
from torchlint.model.guards.truth import truth_of
from torchlint.model.training.grad_mode import is_recorded, without_graph
from torchlint.model.values.expressions import EXPRESSIONS
from torchlint.model.values.kinds import has_attribute
from torchlint.model.values.naming import global_of
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Class,
    Frame,
    Function,
    Generated,
    Instance,
    Possibility,
    ValueSet,
)

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile, Targets
    from torchlint.model.place import Caller, Place, Residence


class Answers:
    """Computes the answers of one evaluator, which keeps them."""

    def __init__(self, ev: Evaluator) -> None:
        self._ev = ev

    def value(self, place: Place) -> ValueSet:
        """Return what an expression may be."""
        answer = EXPRESSIONS.get(type(place.expression))
        found = answer(self._ev, place) if answer is not None else UNKNOWN
        if isinstance(place.expression, (ast.Name, ast.Attribute)) or is_item_asked_for(place):
            return narrow(self._ev, place, found)
        if isinstance(place.expression, (ast.Call, ast.BinOp)) and not is_recorded(place):
            return without_graph(found)
        return found

    def truth(self, test: Place) -> bool | None:
        """Tell whether a test holds, None if that is unknown."""
        return truth_of(self._ev, test)

    def attribute(self, place: Place, owner: Possibility, name: str) -> ValueSet:
        """Return what an attribute of one possible owner may be."""
        return attribute(self._ev, place, owner, name)

    def has_attribute(self, one: Possibility, name: str) -> bool | None:
        """Tell whether something has an attribute, or None if that is unknown."""
        return has_attribute(self._ev, one, name)

    def global_name(self, key: tuple[ParsedFile, str]) -> ValueSet:
        """Return what a name of a file may be once the file is loaded."""
        return global_of(self._ev, *key)

    def elements(self, one: Possibility) -> ValueSet:
        """Return what iterating over something yields."""
        match one.value:
            case Instance():
                found = iterated(self._ev, one)
                return elements_of_one(self._ev, one) if found is None else found
            case Generated() as generator:
                return generated(self._ev, generator)
            case _:
                return elements_of_one(self._ev, one)

    def item(self, key: tuple[Possibility, object]) -> ValueSet:
        """Return what is under a key of something."""
        return item(self._ev, *key)

    def is_module(self, one: Possibility) -> bool:
        """Tell whether something is an nn.Module."""
        return is_module(self._ev, one.value)

    def resides(self, module: Place) -> Residence | None:
        """Return where a module is, None if that is unknown."""
        return residence_of(self._ev, module)

    def is_guarded(self, place: Place) -> bool:
        """Tell whether machines without CUDA never reach a place."""
        return is_guarded(self._ev, place)

    def callees(self, call: Place) -> Iterator[Function]:
        """Yield the functions of the project that a call may run."""
        return callees_of(self._ev, call)

    def callers(self, function: Function) -> tuple[Caller, ...]:
        """Return every known caller of a function."""
        return callers_of(self._ev, function)

    def returned(self, key: tuple[Function, Frame | None]) -> ValueSet:
        """Return what a call to a function returns."""
        return returned(self._ev, *key)

    def subclasses(self, kind: Class) -> tuple[Class, ...]:
        """Return the classes below a class."""
        return subclasses_of(self._ev, kind)

    def targets(self, key: tuple[ParsedFile, str]) -> Targets:
        """Return what the calls of a file that are written with a word may run."""
        return targets_of(self._ev, *key)
