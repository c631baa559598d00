"""Answer what expressions may be, backward and on demand, in one world.

Each query starts at the place that matters and asks on: names ask their bindings, parameters their callers, calls their
callees. The modules beside this one each answer one kind of query, and ask the others through here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from torchlint.inference.engine.query import InOrder, Memo, Query
from torchlint.inference.engine.stack import OF_COUNT, OF_DEVICES, ONE_WORLD, QueryStack
from torchlint.model.guards.path_conditions import facts_at
from torchlint.model.interface import Targets
from torchlint.model.place import Caller, Place, Residence
from torchlint.model.values.order import in_order
from torchlint.model.values.plain import Values
from torchlint.model.values.shared_memo import SharedMemos
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Class,
    Device,
    Frame,
    Function,
    Possibility,
    ValueSet,
)
from torchlint.model.worlds import World
from torchlint.syntax.flow_walk import Decide

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile, Project
    from torchlint.model.values.answers import Answers
    from torchlint.syntax.scope import Scope

Walk: TypeAlias = "Callable[..., object]"


class CallSites(Query["tuple[ParsedFile, str]", Targets]):
    """The query for call targets: by file, and by the word that calls are written with."""

    def of(self, file: ParsedFile, word: str) -> Targets | None:
        """Return what the calls of a file that are written with a word may run, None where there are none."""
        return self((file, word)) if file.index.calls(word) or file.mentions(word) else None


class Evaluator:
    """Answers for one world; they stay valid as long as the files do not change."""

    def __init__(self, project: Project, world: World, shared: SharedMemos) -> None:
        self.project = project
        self._world = world
        self._stack = QueryStack(project.library.dependencies, project.library.steps)
        self._shared = shared
        self._parts = shared.parts(world)
        self._tables: dict[object, Query[tuple[object, ...], object]] = {}

    # A question about the whole project has an evaluator of its own and needs few of these queries, most often none:
    # each is made when it is first asked.

    @cached_property
    def evaluate(self) -> Values:
        """Return the query for what an expression may be."""
        return Values(
            self._stack, lambda place: self._answers.value(place), (), *self._memo("value"), in_order=in_order
        )

    @cached_property
    def truth(self) -> Query[Place, bool | None]:
        """Return the query for the outcome of a test."""
        return Query(self._stack, lambda test: self._answers.truth(test), None, *self._memo("truth"))

    @cached_property
    def callers(self) -> Query[Function, tuple[Caller, ...]]:
        """Return the query for the callers of a function."""
        answer, memo = (lambda function: self._answers.callers(function)), self._memo("callers")
        return Query(self._stack, answer, (), *memo, call_depth=1)

    @cached_property
    def _returned(self) -> Query[tuple[Function, Frame | None], ValueSet]:
        answer, memo = (lambda key: self._answers.returned(key)), self._memo("returned")
        return Query(self._stack, answer, (), *memo, call_depth=1, top=UNKNOWN, in_order=in_order)

    @cached_property
    def elements(self) -> Query[Possibility, ValueSet]:
        """Return the query for what iterating over something yields."""
        answer, memo = (lambda one: self._answers.elements(one)), self._memo("elements")
        return Query(self._stack, answer, (), *memo, in_order=in_order)

    @cached_property
    def item(self) -> Query[tuple[Possibility, object], ValueSet]:
        """Return the query for what is under a key of something."""
        answer, memo = (lambda key: self._answers.item(key)), self._memo("item")
        return Query(self._stack, answer, (), *memo, in_order=in_order)

    @cached_property
    def resides(self) -> Query[Place, Residence | None]:
        """Return the query for where a module is."""
        answer, memo = (lambda module: self._answers.resides(module)), self._memo("resides")
        return Query(self._stack, answer, None, *memo)

    def residence(self, module: Place) -> Device | None:
        """Return the device of a module's parameters, or None if that is unknown or it was never moved."""
        found = self.resides(module)
        return found.device if found is not None else None

    @cached_property
    def subclasses(self) -> Query[Class, tuple[Class, ...]]:
        """Return the query for the classes below a class."""
        answer, memo = (lambda kind: self._answers.subclasses(kind)), self._memo("subclasses")
        return Query(self._stack, answer, (), *memo)

    @cached_property
    def _globals(self) -> Query[tuple[ParsedFile, str], ValueSet]:
        answer, memo = (lambda key: self._answers.global_name(key)), self._memo("global")
        return Query(self._stack, answer, (), *memo, in_order=in_order)

    @cached_property
    def targets(self) -> CallSites:
        """Return the query for what the calls of a file may run."""
        answer, memo = (lambda key: self._answers.targets(key)), self._memo("targets")
        return CallSites(self._stack, answer, Targets(), *memo)

    def _memo(self, kind: object) -> tuple[Memo[Any, Any], tuple[int, ...]]:
        """Return the memo for a kind of query, and the numbers of what its answers may read of this world."""
        return self._shared.table(kind), self._parts

    @cached_property
    def _answers(self) -> Answers:
        """Return what answers queries: its modules are imported with the first one."""
        from torchlint.model.values.answers import Answers

        return Answers(self)

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
            memo = self._memo(walk)
            known = Query(self._stack, lambda key: walk(self, *key), nothing, *memo, in_order=in_order)
            self._tables[walk] = known
        return known

    def discard_provisional(self) -> None:
        """Drop what may depend on the order of queries, so that each file's answers are its own."""
        self._stack.abandon()

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
        return self._answers.attribute(place, owner, name)

    def has_attribute(self, one: Possibility, name: str) -> bool | None:
        """Tell whether something has an attribute, or None if that is unknown."""
        return self._answers.has_attribute(one, name)

    def is_module(self, place: Place) -> bool:
        """Tell whether every possibility of an expression is an nn.Module."""
        possible = self.evaluate(place)
        return bool(possible) and all(self._answers.is_module(one) for one in possible)

    def is_guarded(self, place: Place) -> bool:
        """Tell whether machines without CUDA never reach a place; asked in a world that has none."""
        return self._answers.is_guarded(place)

    def callees(self, place: Place) -> tuple[Function, ...]:
        """Return the functions of the project that a call may run, each once."""
        return tuple(dict.fromkeys(self._answers.callees(place)))

    def callers_of(self, file: ParsedFile, scope: Scope) -> tuple[Place, ...]:
        """Return the calls of a function, and the places that pass it to something that calls it."""
        return tuple(caller.place for caller in self.callers(Function(file, scope)))

    def returned(self, function: Function, frame: Frame | None) -> ValueSet:
        """Return what a call to a function returns."""
        return self._returned((function, frame))
