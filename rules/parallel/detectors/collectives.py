"""Collective calls, which every rank must make, at places that only some ranks reach."""

from __future__ import annotations

import ast
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from torchlint.inference.limits import FAR
from torchlint.model.call_graph.mentions import is_made
from torchlint.model.call_graph.used_as_values import comes_by_import, is_used_as_value
from torchlint.model.calls import call_at
from torchlint.model.facts import fact, fact_of_each_file
from torchlint.model.guards.contradictions import are_in_different_arms, exclude_each_other
from torchlint.model.parallel.ranks import rank_test, rank_tests
from torchlint.model.parallel.wrappers import makes_distributed
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Function, Imported
from torchlint.pytorch import distributed
from torchlint.pytorch.companions.accelerate import (
    ACCELERATORS,
    COLLECTIVE_FUNCTIONS,
    COLLECTIVES,
    COLLECTIVES_WITH,
)
from torchlint.pytorch.symbols import DISTRIBUTED
from torchlint.syntax.last_names import last_name
from torchlint.syntax.scope import Scope

from .before_groups import makes_group_between, runs_before_group
from .call_outcomes import needed_of_caller
from .objects_called import methods_of_object, runs_methods
from .wrapped_collectives import calls_of_wrapped, communicating
from .wrapping_calls import calls_that_wrap, wrapper_of

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator
    from torchlint.model.values.value_sets import ValueSet

    from .before_groups import runs_before_group
from .call_outcomes import Outcomes

Key: TypeAlias = "tuple[str, int, int, int, int]"
_OF_ACCELERATOR = COLLECTIVES.union(*COLLECTIVES_WITH.values())
_OF_ACCELERATE = {name.rpartition(".")[2] for name in COLLECTIVE_FUNCTIONS}


@dataclass(frozen=True, slots=True)
class LonelyCollective:
    """A call that only some ranks make, and that is or runs a collective."""

    place: Place
    collective: Place
    test: Place
    """The condition that excludes the other ranks."""
    story: tuple[Step, ...]
    path: tuple[Place, ...] = ()
    """The calls that lead to the collective, the outermost first."""
    wrapper: str | None = None
    """The wrapper whose call it is, by its full name, None if it is a function's."""


@fact_of_each_file
def lonely_collectives(ev: Evaluator) -> dict[str, list[LonelyCollective]]:
    """Return the calls of a project that wait for ranks that never come, by file: from each collective outwards."""
    found: dict[Key, LonelyCollective] = {}
    names: defaultdict[Key, set[str]] = defaultdict(set)
    for lonely in (*(lonely for one in _collectives(ev) for lonely in _lonely(ev, one)), *_of_wrapped(ev)):
        found.setdefault(lonely.place.key, lonely)
        names[lonely.place.key].add(_name(lonely.collective))
    by_path: dict[str, list[LonelyCollective]] = {}
    for lonely in sorted(found.values(), key=lambda one: one.place.key):
        others = (one.place for key, one in found.items() if names[key] & names[lonely.place.key])
        if _is_answered(ev, lonely) or any(_answers(one, lonely.place) for one in others):
            continue
        # All callers of all callers are queried for this.
        if not makes_group_between(ev, lonely.test, lonely.place) and not runs_before_group(ev, lonely.place):
            by_path.setdefault(lonely.place.path, []).append(lonely)
    return by_path


def _of_wrapped(ev: Evaluator) -> Iterator[LonelyCollective]:
    """Yield the calls that only some ranks make, and that are or run one of a wrapped module, which communicates."""
    for call in calls_of_wrapped(ev) if ev.project.once(makes_distributed) else ():
        for lonely in _lonely(ev, call):
            if (wrapper := communicating(ev, call, lonely.path)) is not None:
                yield replace(lonely, wrapper=wrapper)


def _lonely(ev: Evaluator, collective: Place) -> Iterator[LonelyCollective]:
    """Yield the calls, on the paths to a collective, that only some ranks make."""
    pending: deque[tuple[tuple[Place, ...], Outcomes, tuple[Step, ...], tuple[Function, ...]]] = deque()
    pending.append(((collective,), {}, (), ()))
    seen: set[Scope] = set()
    while pending:
        path, sure, story, own = pending.popleft()
        place = path[0]
        if (test := _choice(ev, place, sure)) is not None:
            yield LonelyCollective(place, collective, test, story, path[:-1])
        elif place.scope.kind == "function" and place.scope not in seen and len(story) < FAR:
            seen.add(place.scope)
            step = place.step("every rank must call this" if place is collective else "called here")
            called = Function(place.file, place.scope)
            for caller in ev.callers(called):
                needed = needed_of_caller(ev, place, sure, caller)
                if needed is not None and runs_methods(ev, caller.place, own):
                    further = methods_of_object(caller.place, called, own)
                    pending.append(((caller.place, *path), needed, (step, *story), further))


def _choice(ev: Evaluator, place: Place, sure: Outcomes) -> Place | None:
    """Return the test that keeps ranks away; an assertion sends none past the collective, but raises on it."""
    return next((test for test in rank_tests(ev, place, sure) if not isinstance(test.statement, ast.Assert)), None)


def _collectives(ev: Evaluator) -> Iterator[Place]:
    """Yield the collective calls of a project that are for all ranks and not for a group of some."""
    for name in sorted(distributed.COLLECTIVES | _OF_ACCELERATOR | _OF_ACCELERATE):
        for path in ev.project.library.using(name):
            file = ev.project.parsed(path)
            for call, statement in file.index.calls(name) if file is not None else ():
                assert file is not None
                place = Place(file, call, statement)
                if not _names_group(call) and _is_collective(ev, place, name):
                    yield place
    yield from _wrappings(ev)


def _wrappings(ev: Evaluator) -> Iterator[Place]:
    """Yield the calls that wrap a module, which compares and broadcasts its parameters with all ranks."""
    for path in ev.project.library.using(DISTRIBUTED.rpartition(".")[2]):
        file = ev.project.parsed(path)
        for call, statement in calls_that_wrap(file) if file is not None else ():
            assert file is not None
            place = Place(file, call, statement)
            if not _names_group(call) and wrapper_of(ev, place) == DISTRIBUTED:
                yield place


def _is_collective(ev: Evaluator, place: Place, name: str) -> bool:
    call = place.expression
    assert isinstance(call, ast.Call)
    function = place.at(call.func)
    for one in (
        ev.evaluate(function) if comes_by_import(function) or ev.project.once(uses_collectives_as_values) else ()
    ):
        if isinstance(one.value, Imported):
            if one.value.name in {f"{home}{name}" for home in distributed.SPACES}:
                return name in distributed.COLLECTIVES
            if one.value.name in COLLECTIVE_FUNCTIONS:
                return True
    if name not in _OF_ACCELERATOR or not isinstance(call.func, ast.Attribute):
        return False
    return ev.project.once(makes_accelerators) and _is_of_accelerator(ev, place.at(call.func.value), name)


def _is_of_accelerator(ev: Evaluator, owner: Place, name: str) -> bool:
    """Tell whether a method is an accelerator's, and its arguments make it wait for all processes."""
    possible = ev.evaluate(owner)
    made = [one for one in possible if isinstance(one.value, Built) and one.value.name in ACCELERATORS]
    return bool(made) and (name in COLLECTIVES or all(_shards(ev, one.origin, name) for one in possible))


def _shards(ev: Evaluator, made: Place | None, name: str) -> bool:
    """Tell whether an accelerator is surely made to shard, so that a method waits for all that have a part."""
    call = call_at(made) if made is not None else None
    plugins = [call.keywords.get(told) for told, methods in COLLECTIVES_WITH.items() if name in methods] if call else []
    return any(plugin and _is_built(ev.evaluate(plugin)) for plugin in plugins)


def _is_built(possible: ValueSet) -> bool:
    return bool(possible) and all(isinstance(one.value, Built) for one in possible)


@fact
def uses_collectives_as_values(ev: Evaluator) -> bool:
    """Tell whether a project uses collectives, or the package that has them, as values."""
    return is_used_as_value(ev, *(f"{home}{name}" for home in distributed.SPACES for name in distributed.COLLECTIVES))


@fact
def makes_accelerators(ev: Evaluator) -> bool:
    """Tell whether a project may have an Accelerator."""
    return is_made(ev, *ACCELERATORS)


def _names_group(call: ast.Call) -> bool:
    groups = (word.value for word in call.keywords if word.arg in {"group", "process_group"})
    given = [group for group in groups if not (isinstance(group, ast.Constant) and group.value is None)]
    is_barrier = isinstance(call.func, ast.Attribute) and call.func.attr == "barrier"
    return bool(given) or (is_barrier and bool(call.args))


def _is_answered(ev: Evaluator, lonely: LonelyCollective) -> bool:
    """Tell whether the excluded ranks make the same call elsewhere in the function, or in its class.

    The others wait until the first one has downloaded: `if rank != 0: barrier()`, and below `if rank == 0: barrier()`.
    """
    place = lonely.place
    for other, statement in place.file.index.calls(_name(place)):
        at = Place(place.file, other, statement)
        if _home(at) is not _home(place) or not _runs_the_same(ev, at, lonely) or (test := rank_test(ev, at)) is None:
            continue
        if test.expression is not lonely.test.expression or are_in_different_arms(at, place):
            return True
    return False


def _runs_the_same(ev: Evaluator, call: Place, lonely: LonelyCollective) -> bool:
    """Tell whether a call of the same name has the same callee: `torch.save(…)` is not what `self.save(…)` calls."""
    if lonely.place is lonely.collective:
        return True
    run = {one.scope for one in ev.callees(lonely.place)}
    return not run or any(one.scope in run for one in ev.callees(call))


def _answers(other: Place, place: Place) -> bool:
    """Tell whether a call leads the ranks that another one excludes to a collective as well.

    One sends tasks, and the others serve: `if rank == 0: pool.send(task)`, `else: pool.serve()`.
    """
    return _home(other) is _home(place) and exclude_each_other(place, other)


def _home(place: Place) -> Scope | None:
    return place.scope.outer if place.scope.is_method else place.scope


def _name(place: Place) -> str:
    call = place.expression
    assert isinstance(call, ast.Call)
    return last_name(call.func)
