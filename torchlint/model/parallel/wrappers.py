"""Modules wrapped in others: DataParallel, DistributedDataParallel, FSDP, `torch.compile`."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import imported_bases, is_module, method_of
from torchlint.model.call_graph.mentions import is_made
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Class, Function, Instance, Possibility, ValueSet
from torchlint.model.worlds import ANYWHERE, World
from torchlint.pytorch.replicas import HOOKS
from torchlint.pytorch.symbols import COMPILED, DATA_PARALLEL, DISTRIBUTED
from torchlint.pytorch.wrappers import WRAPPERS, wrapped_as
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# `model = DataParallel(model)` in a loop wraps without end.
_NONE: ValueSet = ()


@dataclass(frozen=True, slots=True)
class Wrapping:
    """A module that may be wrapped here: the wrapper, its call, and how the wrapper came from there."""

    name: str
    """The wrapper's full name: `torch.nn.DataParallel`."""
    prefix: str
    """Its prefix in the keys of the state dict, empty if there is none."""
    place: Place
    possibility: Possibility

    @property
    def attribute(self) -> str | None:
        """Return the attribute whose state dict is the module's own; None if there is none."""
        row = WRAPPERS[self.name]
        return None if row.holds_shards else row.attribute

    @property
    def word(self) -> str:
        """Return the wrapper's short name: `DataParallel`."""
        return self.name if self.name == COMPILED else self.name.rpartition(".")[2]


def wrappings(place: Place, world: World = ANYWHERE) -> tuple[Wrapping, ...]:
    """Return how an expression may be a module wrapped in DataParallel and the like, once for each possibility."""
    ev = place.file.project.evaluator(world)
    found = (wrapping(ev, one) for one in ev.evaluate(place))
    return tuple(one for one in found if one is not None)


def is_wrapped(place: Place) -> bool:
    """Tell whether an expression is surely a wrapped module."""
    possible = place.possibilities()
    return bool(possible) and set(possible) == {one.possibility for one in wrappings(place)}


def wrapping(ev: Evaluator, one: Possibility) -> Wrapping | None:
    """Return how a value is a wrapper, or None if it is none."""
    name = wrapper_name(ev, one)
    if name is None or one.origin is None:
        return None
    return Wrapping(name, WRAPPERS[name].prefix, one.origin, one)


def wrapper_name(ev: Evaluator, one: Possibility) -> str | None:
    """Return the full name of the wrapper whose instance a value is, subclasses included, None if it is none."""
    match one.value:
        case Built(name=name):
            return name if name in WRAPPERS else None
        case Instance(kind=kind):
            return next((base for base in imported_bases(ev, kind) if base in WRAPPERS), None)
        case _:
            return None


def may_wrap(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a value is a wrapper, or the result of another package for a module as argument."""
    match one:
        case Possibility(value=Built(name=name), origin=Place(expression=ast.Call() as call) as made):
            module = _module_given(call) if not name.startswith("torch.") else None
            inner = ev.evaluate(made.at(module)) if module is not None else ()
            return name in WRAPPERS or any(_is_of_module(ev, one) for one in inner)
        case _:
            return wrapper_name(ev, one) is not None


def _is_of_module(ev: Evaluator, one: Possibility) -> bool:
    return wrapper_name(ev, one) is not None or is_module(ev, one.value)


def moves_inputs(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a wrapper moves its inputs to the devices of its module itself.

    DataParallel scatters its inputs, FSDP moves them, and so does DistributedDataParallel with `device_ids`.
    """
    name = wrapper_name(ev, one)
    if name != DISTRIBUTED:
        return name is not None and name != COMPILED
    call = one.origin.expression if one.origin is not None else None
    if not isinstance(call, ast.Call):
        return True
    return len(call.args) > 1 or any(word.arg in {"device_ids", None} for word in call.keywords)


def scatters_itself(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a wrapper is the project's own, and moves its inputs to the devices in its own way.

    Its inputs are made for that, so that they are no inputs for the module alone.
    """
    if not isinstance(one.value, Instance) or method_of(ev, one.value.kind, "scatter") is None:
        return False
    return wrapper_name(ev, one) is not None


def is_hook(ev: Evaluator, function: Function) -> bool:
    """Tell whether a method is one that the `forward` of DataParallel calls: never without devices."""
    scope = function.scope
    if scope.name not in HOOKS or scope.outer is None or not scope.is_method:
        return False
    kind = Class(function.file, scope.outer)
    return DATA_PARALLEL in imported_bases(ev, kind) and method_of(ev, kind, "forward") is None


def unwrapped(ev: Evaluator, one: Possibility) -> ValueSet | None:
    """Return the module inside any number of wrappers, or None if the value is no wrapper."""
    return None if (wrapped := inside(ev, one)) is None else _innermost(ev, wrapped)


def without_wrappers(ev: Evaluator, one: Possibility) -> ValueSet:
    """Return the module inside any number of wrappers, or the value itself if it is no wrapper."""
    return unwrapped(ev, one) or (one,)


@tabled(_NONE)
def _innermost(ev: Evaluator, wrapped: ValueSet) -> ValueSet:
    found: list[ValueSet] = []
    for inner in wrapped:
        deeper = unwrapped(ev, inner)
        found.append((inner,) if deeper is None else deeper)
    return either(*found)


def inside(ev: Evaluator, one: Possibility) -> ValueSet | None:
    """Return what a wrapper wraps, or None if the value is no wrapper."""
    if wrapper_name(ev, one) is None or one.origin is None:
        return None
    call = one.origin.expression
    if not isinstance(call, ast.Call):
        return None
    if (module := _module_given(call)) is None:
        return ()
    return tuple(inner for inner in ev.evaluate(one.origin.at(module)) if not _is_put_around(ev, one, inner))


def taken_off(ev: Evaluator, wrapper: Possibility) -> ValueSet:
    """Return what is left of a wrapper that is taken off.

    If methods wrap one attribute in a DataParallel and in `torch.compile`, each may be around the other. Code that
    reaches the compiled module has taken off the other before: `hasattr(compiled, "module")` reads the module inside,
    too.
    """
    wrapped = inside(ev, wrapper) or ()
    if wrapper_name(ev, wrapper) != COMPILED:
        return wrapped
    return tuple(one for one in wrapped if wrapper not in (inside(ev, one) or ()))


def _module_given(call: ast.Call) -> ast.expr | None:
    return call.args[0] if call.args else next((k.value for k in call.keywords if k.arg in {"module", "model"}), None)


def _is_put_around(ev: Evaluator, outer: Possibility, inner: Possibility) -> bool:
    """Tell whether a wrapper replaces what it wraps, so that it cannot be around what is stored there afterwards.

    `self.model = DistributedDataParallel(self.model)` in a method wraps what the attribute held before. If another
    method stores a DataParallel there the same way, that is a choice of the two: programs do not wrap for both. So does
    a condition of the DataParallel alone: `if gpus > 1: net = DataParallel(net)`, `if distributed: net = …`.
    """
    if outer.origin is None or inner.origin is None:
        return False
    if inner.origin.expression is outer.origin.expression:
        return True
    here, there = _rewrapped(outer.origin), _rewrapped(inner.origin)
    names = {wrapper_name(ev, one) or "" for one in (outer, inner)}
    if here.isdisjoint(there) or {wrapped_as(name) for name in names} != {"module"}:
        return False
    return "." in min(here & there) or (names == {DATA_PARALLEL, DISTRIBUTED} and _has_test(inner.origin, outer.origin))


def _has_test(place: Place, other: Place) -> bool:
    """Tell whether a place of a function has a dominating condition that another one there has not."""
    if place.scope is not other.scope:
        return False
    others = {test.test for test in dominating_conditions(other)}
    return any(test.test not in others for test in dominating_conditions(place))


def _rewrapped(made: Place) -> frozenset[str]:
    """Return the names and attributes that a call wraps, and that are assigned its result."""
    module = _module_given(made.expression) if isinstance(made.expression, ast.Call) else None
    is_named = isinstance(module, (ast.Name, ast.Attribute))
    return frozenset(name for name in made.bound_to if module is not None and is_named and written(module) == name)


def makes_data_parallel(ev: Evaluator) -> bool:
    """Tell whether a project may have a DataParallel or DistributedDataParallel."""
    return is_made(ev, DATA_PARALLEL, DISTRIBUTED)


def makes_distributed(ev: Evaluator) -> bool:
    """Tell whether a project may have a module in a wrapper for one of several processes."""
    return is_made(ev, *(row.name for row in WRAPPERS.values() if row.divides_data))


def makes_wrappers(ev: Evaluator) -> bool:
    """Tell whether a project may have any wrapper."""
    return is_made(ev, *WRAPPERS)
