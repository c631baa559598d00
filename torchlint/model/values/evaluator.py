"""Answer what expressions may be, backward and on demand, in one world.

Each query starts at the place that matters and asks on: names ask their bindings, parameters their callers, calls their
callees. The modules beside this one each answer one kind of query, and ask the others through here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from torchlint.inference.engine.query import InOrder, Query
from torchlint.inference.engine.stack import OF_COUNT, OF_DEVICES, ONE_WORLD, QueryStack
from torchlint.inference.limits import MOST_ANSWERS
from torchlint.model.attributes.dotted import attribute
from torchlint.model.call_graph.call_sites import CallSites, targets_of
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.callers import callers_of
from torchlint.model.call_graph.class_hierarchy import is_module, iterated
from torchlint.model.call_graph.overriding import subclasses_of
from torchlint.model.call_graph.returns import generated, returned
from torchlint.model.containers.items import elements_of_one, item
from torchlint.model.devices.residence import residence_of
from torchlint.model.guards.cuda import is_guarded
from torchlint.model.guards.narrowing import narrow
from torchlint.model.guards.path_conditions import facts_at
from torchlint.model.guards.truth import truth_of
from torchlint.model.interface import Targets
from torchlint.model.place import Caller, Place
from torchlint.model.training.grad_mode import is_recorded, without_graph
from torchlint.model.values.expressions import EXPRESSIONS
from torchlint.model.values.kinds import has_attribute
from torchlint.model.values.naming import global_of
from torchlint.model.values.order import in_order
from torchlint.model.values.plain import Values
from torchlint.model.values.shared_memo import SharedMemo
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Class,
    Device,
    Frame,
    Function,
    Generated,
    Instance,
    Possibility,
    ValueSet,
)
from torchlint.model.worlds import World
from torchlint.syntax.flow_walk import Decide

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile, Project
    from torchlint.syntax.scope import Scope

AnyQuery: TypeAlias = "Query[Any, Any]"
Walk: TypeAlias = "Callable[..., object]"


class Evaluator:
    """Answers for one world; they stay valid as long as the files do not change."""

    def __init__(self, project: Project, world: World, shared: tuple[SharedMemo, ...]) -> None:
        self.project = project
        self._world = world
        self._stack = asking = QueryStack(project.library.dependencies, project.library.steps)
        self._shared = shared
        self.evaluate = Values("value", asking, self._value, (), [one.values for one in shared], in_order=in_order)
        self.truth: Query[Place, bool | None] = Query(
            "truth", asking, partial(truth_of, self), None, [one.truths for one in shared]
        )
        self.callers: Query[Function, tuple[Caller, ...]] = Query(
            "callers", asking, partial(callers_of, self), (), [one.callers for one in shared], call_depth=1
        )
        self._returned: Query[tuple[Function, Frame | None], ValueSet] = Query(
            "returned",
            asking,
            self._returns,
            (),
            [one.returned for one in shared],
            call_depth=1,
            top=UNKNOWN,
            in_order=in_order,
        )
        self.elements: Query[Possibility, ValueSet] = Query(
            "elements", asking, self._elements, (), [one.elements for one in shared], in_order=in_order
        )
        self.item: Query[tuple[Possibility, object], ValueSet] = Query(
            "item", asking, self._item, (), [one.items for one in shared], in_order=in_order
        )
        self.residence: Query[Place, Device | None] = Query(
            "residence", asking, partial(residence_of, self), None, [one.residences for one in shared]
        )
        self.subclasses: Query[Class, tuple[Class, ...]] = Query(
            "subclasses", asking, partial(subclasses_of, self), (), [one.subclasses for one in shared]
        )
        self._globals: Query[tuple[ParsedFile, str], ValueSet] = Query(
            "global", asking, self._global, (), [one.globals for one in shared], in_order=in_order
        )
        self.targets = CallSites(
            "targets", asking, lambda key: targets_of(self, *key), Targets(), [one.targets for one in shared]
        )
        asked = (self.evaluate, self.truth, self.callers, self.residence, self.subclasses)
        self._kinds: tuple[AnyQuery, ...] = (
            *asked,
            self._returned,
            self.elements,
            self.item,
            self._globals,
            self.targets,
        )
        self._tables: dict[object, Query[tuple[object, ...], object]] = {}

    @property
    def world(self) -> World:
        """Return the world that is asked about; an answer that reads it is kept for this world alone."""
        self._stack.scope = ONE_WORLD
        return self._world

    @property
    def has_cuda(self) -> bool | None:
        """Tell whether the machine of this world has CUDA; None if it is unknown."""
        self._stack.scope |= OF_DEVICES
        return self._world.cuda

    @property
    def gpus(self) -> int | None:
        """Return how many GPUs the machine of this world has; None if it does not matter which one something is on."""
        self._stack.scope |= OF_COUNT
        return self._world.gpus

    @property
    def has_defaults(self) -> bool:
        """Tell whether the options about devices and processes have their defaults in this world."""
        self._stack.scope |= OF_DEVICES
        return self._world.defaults

    def one_call_deeper(self, ask: Callable[[], ValueSet]) -> ValueSet:
        """Return what is found one call deeper, or unknown at the limit of call depth."""
        return self._stack.one_call_deeper(ask, UNKNOWN)

    def global_of(self, file: ParsedFile, name: str) -> ValueSet:
        """Return what a name of a file may be once the file is loaded; bottom if the file has no such name."""
        return self._globals((file, name))

    def table(self, walk: Walk, nothing: object, in_order: InOrder) -> Query[tuple[object, ...], object]:
        """Return the query of a tabled walk; its key is the arguments of the walk."""
        if (known := self._tables.get(walk)) is None:
            known = Query(
                walk,
                self._stack,
                lambda key: walk(self, *key),
                nothing,
                [one.table(walk) for one in self._shared],
                in_order=in_order,
            )
            self._tables[walk] = known
            self._kinds = (*self._kinds, known)
        return known

    def discard_provisional(self) -> None:
        """Drop what may depend on the order of queries, so that each file's answers are its own.

        If there are more answers than memory should hold, all of them are dropped: they can be found again.
        """
        self._stack.abandon()
        if sum(len(answers) for answers in self._kinds) > MOST_ANSWERS:
            self.forget()
        for answers in self._kinds:
            answers.discard_provisional()

    def forget(self) -> None:
        """Drop every answer."""
        for answers in self._kinds:
            answers.forget()

    def decide(self, place: Place) -> Decide:
        """Return the predicate by which a walk from a place decides the tests on its path."""
        facts = facts_at(place)

        def decided(test: ast.expr, statement: ast.stmt) -> bool | None:
            if facts and (fact := facts.of(test)) is not None:
                return fact
            return self.truth(Place(place.file, test, statement, place.frame, place.given))

        return decided

    def attribute(self, place: Place, owner: Possibility, name: str) -> ValueSet:
        """Return what an attribute of one possible owner may be."""
        return attribute(self, place, owner, name)

    def has_attribute(self, one: Possibility, name: str) -> bool | None:
        """Tell whether something has an attribute, or None if that is unknown."""
        return has_attribute(self, one, name)

    def is_module(self, place: Place) -> bool:
        """Tell whether every possibility of an expression is an nn.Module."""
        possible = self.evaluate(place)
        return bool(possible) and all(is_module(self, one.value) for one in possible)

    def is_guarded(self, place: Place) -> bool:
        """Tell whether machines without CUDA never reach a place; asked in a world that has none."""
        return is_guarded(self, place)

    def callees(self, place: Place) -> tuple[Function, ...]:
        """Return the functions of the project that a call may run, each once."""
        return tuple(dict.fromkeys(callees_of(self, place)))

    def callers_of(self, file: ParsedFile, scope: Scope) -> tuple[Place, ...]:
        """Return the calls of a function, and the places that pass it to something that calls it."""
        return tuple(caller.place for caller in self.callers(Function(file, scope)))

    def returned(self, function: Function, frame: Frame | None) -> ValueSet:
        """Return what a call to a function returns."""
        return self._returned((function, frame))

    def _value(self, place: Place) -> ValueSet:
        answer = EXPRESSIONS.get(type(place.expression))
        found = answer(self, place) if answer is not None else UNKNOWN
        if isinstance(place.expression, (ast.Name, ast.Attribute)):
            return narrow(self, place, found)
        if isinstance(place.expression, (ast.Call, ast.BinOp)) and not is_recorded(place):
            return without_graph(found)
        return found

    def _global(self, key: tuple[ParsedFile, str]) -> ValueSet:
        return global_of(self, *key)

    def _returns(self, key: tuple[Function, Frame | None]) -> ValueSet:
        return returned(self, *key)

    def _elements(self, one: Possibility) -> ValueSet:
        match one.value:
            case Instance():
                found = iterated(self, one)
                return elements_of_one(self, one) if found is None else found
            case Generated() as generator:
                return generated(self, generator)
            case _:
                return elements_of_one(self, one)

    def _item(self, key: tuple[Possibility, object]) -> ValueSet:
        return item(self, *key)
