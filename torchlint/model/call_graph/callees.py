"""Which functions of the project a call may run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module, method_of
from torchlint.model.call_graph.overriding import further_overriding, overriding
from torchlint.model.containers.module_containers import modules_in
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Place
from torchlint.model.roles import may_be_a
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Class, Function, Instance, Possibility, ValueSet
from torchlint.pytorch.companions.torchvision import COMPOSED
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import MODULE, SEQUENTIAL
from torchlint.syntax.arguments import named_arguments, passed
from torchlint.syntax.call_shapes import CallShape, shape_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_PLAIN = frozenset({MODULE, "abc.ABC", "builtins.object"})
_CALLS_NOTHING = frozenset("callable delattr getattr hasattr id isinstance print repr setattr str type".split())
"""Functions of Python that call no function that they are given."""


_NONE: tuple[Function, ...] = ()


def callees_of(ev: Evaluator, place: Place) -> Iterator[Function]:
    """Yield the functions that a call runs: its callee, and callbacks that it calls (`optimizer.step(closure)`)."""
    call = place.expression
    assert isinstance(call, ast.Call)
    found = ev.evaluate(place.at(call.func))
    for callee in _accepting(call, found):
        if not (isinstance(callee.value, Class) and _gives_no_module(place) and _is_plain_module(ev, callee.value)):
            yield from run_by(ev, callee)
    yield from _fitting(call, further_overriding(ev, place.at(call.func), found))
    yield from _stepped_by_scaler(ev, place, call)
    if isinstance(call.func, ast.Name) and call.func.id in _CALLS_NOTHING:
        return
    own = place.scope.parameters if place.frame is None else ()
    for argument in named_arguments(call):
        # A parameter that a function passes on is another function for each of its callers.
        if all(argument.id != parameter.name for parameter in own):
            for one in ev.evaluate(place.at(argument)):
                if isinstance(one.value, Function):
                    yield one.value


def _accepting(call: ast.Call, found: ValueSet) -> ValueSet:
    """Return the possible callees but those that do not accept the arguments, if any other does.

    In `loss.describe()`, none of the losses whose method requires a step is meant.
    """
    if len(found) < 2:
        return found
    shape = shape_of(call)
    refusing = [one for one in found if isinstance(one.value, Function) and _refuses(shape, one.value)]
    accepting = tuple(one for one in found if one not in refusing)
    return accepting if any(isinstance(one.value, Function) for one in accepting) else found


def _fitting(call: ast.Call, functions: Iterable[Function]) -> Iterator[Function]:
    """Yield the functions that accept the arguments of a call."""
    shape: CallShape | None = None
    for one in functions:
        # Most calls have none, and some have thousands of arguments.
        shape = shape_of(call) if shape is None else shape
        if not _refuses(shape, one):
            yield one


def _refuses(shape: CallShape, function: Function) -> bool:
    """Tell whether calling a bound method, or a function of no class, raises for its arguments."""
    is_bound = function.receiver is not None or not function.scope.is_method
    return is_bound and function.fixed is None and not function.is_given and not shape.fits(function.scope)


def _stepped_by_scaler(ev: Evaluator, place: Place, call: ast.Call) -> Iterator[Function]:
    """Yield the `step` of an optimizer of the project that a gradient scaler runs: `scaler.step(optimizer)`."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "step" or not call.args:
        return
    if not may_be_a(ev, place.at(call.func.value), Role.SCALER):
        return
    for one in ev.evaluate(place.at(call.args[0])):
        method = method_of(ev, one.value.kind, "step", one) if isinstance(one.value, Instance) else None
        if method is not None:
            yield replace(method, is_given=True)


def _gives_no_module(place: Place) -> bool:
    """Tell whether a call's result is sliced or indexed, `net(x)[:n]`, as no module is: `net` is no class."""
    parent = place.file.parents_in(place.statement).get(place.expression)
    return isinstance(parent, ast.Subscript) and parent.value is place.expression


def _is_plain_module(ev: Evaluator, kind: Class) -> bool:
    """Tell whether objects of a class are modules without items: neither it nor a base of it is a container."""
    is_plain = all(isinstance(one, Class) or one in _PLAIN for one in family(ev, kind))
    return is_plain and is_module(ev, Instance(kind)) and method_of(ev, kind, "__getitem__") is None


def run_by(ev: Evaluator, callee: Possibility) -> Iterator[Function]:
    """Yield the functions that calling something runs: itself, a constructor, a module's `forward`."""
    match callee.value:
        case Function() as function:
            yield function
        case Class() as kind:
            if (method := method_of(ev, kind, "__init__")) is not None:
                yield method
        case Instance(kind=kind):
            for name in ("__call__", "forward"):
                if (method := method_of(ev, kind, name, callee)) is not None:
                    yield from list(overriding(ev, callee, name)) or [method]
                    return
            yield from _run_inside(ev, callee)
        case Built(name=name) if name == SEQUENTIAL:
            yield from _run_in_sequence(ev, callee)
        case Built(name=name) if name in COMPOSED:
            yield from _run_in_turn(ev, callee)
        case _:
            yield from _run_inside(ev, callee)


def _run_inside(ev: Evaluator, wrapper: Possibility) -> Iterator[Function]:
    """Yield the functions that calling a wrapper runs: what calling the module in it does."""
    for one in unwrapped(ev, wrapper) or ():
        yield from run_by(ev, one)


@tabled(_NONE)
def _run_in_turn(ev: Evaluator, composed: Possibility) -> tuple[Function, ...]:
    """Return the functions that a chain of transforms runs: `Compose([Resize(32), Blur()])`."""
    made = composed.origin
    given = passed(made.expression, "transforms", 0) if made is not None else None
    lists = ev.evaluate(made.at(given)) if made is not None and given is not None else ()
    return tuple(function for one in lists for item in ev.elements(one) for function in run_by(ev, item))


@tabled(_NONE)
def _run_in_sequence(ev: Evaluator, container: Possibility) -> tuple[Function, ...]:
    return tuple(function for one in modules_in(ev, container) for function in run_by(ev, one))
