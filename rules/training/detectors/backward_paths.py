"""Where `backward()` goes through a tensor: it starts from what is computed from it, in its function or in a caller."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.place import Place
from torchlint.model.results.by_name import method_result
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.def_use import Use, ancestors, held
from torchlint.model.values.value_sets import Function, Tensor
from torchlint.model.values.variable_reads import reads_of
from torchlint.pytorch.gradient_ends import GRADIENT_ENDS, OF_PYTHON, WITHOUT_GRAPH
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.walk import walk

from .backward_targets import hook_around, started_from

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# Beyond so many reads, the others hardly lead there.
_MOST = 60
# The functions of Python that make numbers and texts; a tensor's method `float` keeps its graph.
_OF_PYTHON = OF_PYTHON | {"int", "float", "bool", "str", "repr"}
_ENDING = (ast.Compare, ast.JoinedStr, ast.Dict, ast.Set, ast.Lambda, ast.comprehension)


def backward_through(ev: Evaluator, tensors: Iterable[Place], change: Place) -> Place | None:
    """Return where `backward()` starts, after a change, from what is computed from any tensors where they are bound."""
    return next(all_back_through(ev, tensors, change), None)


def all_back_through(
    ev: Evaluator, tensors: Iterable[Place], change: Place, *, by_any_part: bool = False
) -> Iterator[Place]:
    """Yield all places where it does, or the functions from whose result a framework goes back.

    With `by_any_part`, each part of an unpacked result counts as computed of what made it.
    """
    pending = deque(Use(place, True) for place in tensors)
    seen: set[tuple[object, ...]] = set()
    while pending and len(seen) < _MOST:
        use = pending.popleft()
        key = (*use.place.key, use.inside)
        if key in seen or (carried := _carried(use)) is None:
            continue
        seen.add(key)
        if not _may_follow(carried.place, change):
            pending.extend(_kept(ev, carried, by_any_part))
        elif not carried.inside and (back := _started_from(carried.place)) is not None:
            yield back
        elif isinstance(carried.place.statement, ast.Return):
            if not carried.inside and (hook := hook_around(ev, carried.place)) is not None:
                yield hook
            pending.extend(replace(carried, place=call) for call in _callers(ev, carried.place))
        else:
            pending.extend(_kept(ev, carried, by_any_part))


def _may_follow(place: Place, change: Place) -> bool:
    """Tell whether a place is in another function than a change, or further down on a path through it."""
    return place.scope is not change.scope or (place.line > change.line and not exclude_each_other(place, change))


def _carried(use: Use) -> Use | None:
    """Return how the statement around a read has its tensor, None if that is detached or not recorded."""
    # What is changed in place is the same tensor afterwards, and has its graph.
    if not is_recorded(use.place) and not _is_changed(use.place):
        return None
    outer: Use | None = use
    for parent, child in ancestors(use.place):
        if outer is None or cuts(parent, child) or (outer.inside and _takes_whole(parent, child)):
            return None
        outer = held(outer, parent, child)
    return outer


def _is_changed(place: Place) -> bool:
    return isinstance(place.statement, ast.AugAssign) and place.statement.target is place.expression


def cuts(parent: ast.AST, child: ast.AST) -> bool:
    """Tell whether an expression detaches its part: its result has no graph that goes back to that."""
    match parent:
        case ast.Attribute(attr=name):
            return _is_without_graph(name)
        case ast.Call():
            name = callee_name(parent)
            return child is not parent.func and (name in _OF_PYTHON or _is_without_graph(name))
        case ast.Subscript(value=value):
            return child is not value
        case ast.IfExp(test=test):
            return child is test
        case _:
            return isinstance(parent, _ENDING)


def _takes_whole(parent: ast.AST, child: ast.AST) -> bool:
    """Tell whether a call receives a tuple that was made elsewhere: what it does with which part is unknown."""
    return isinstance(parent, ast.Call) and not isinstance(child, (ast.List, ast.Tuple))


def _is_without_graph(name: str) -> bool:
    """Tell whether an attribute of a tensor, or the result of a function of that name, has no graph."""
    if name in GRADIENT_ENDS or name in WITHOUT_GRAPH:
        return True
    result = method_result(name, Tensor(None, True))
    return not isinstance(result, Tensor) or result.graph is False


def _started_from(place: Place) -> Place | None:
    """Return the `backward()` call in the statement of a place, if it starts from the place."""
    match place.statement:
        case ast.Expr(value=ast.Call() as call):
            started = (node for start in started_from(call) for node in walk(start))
            return place.at(call) if any(node is place.expression for node in started) else None
        case _:
            return None


def _callers(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield the calls that receive what a function returns."""
    function = Function(place.file, place.scope)
    if place.scope.kind == "function":
        yield from (caller.place for caller in ev.callers(function))
        yield from (caller.place for caller in object_callers_of(ev, function))


def _kept(ev: Evaluator, use: Use, by_any_part: bool) -> Iterator[Use]:
    """Yield the reads of the names that a statement binds to its result."""
    match use.place.statement:
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _bound(ev, use, target, by_any_part)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            yield from _bound(ev, use, target, by_any_part)


def _bound(ev: Evaluator, use: Use, target: ast.expr, by_any_part: bool) -> Iterator[Use]:
    match target:
        case ast.Name(id=name):
            yield from (replace(use, place=read) for read in reads_of(ev, use.place.scope, name, use.place))
            yield from (replace(use, place=more) for more in _added_to(ev, use.place, name))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                inside = use.as_part(part, parts)
                if inside is not None and (inside or use.inside or by_any_part):
                    yield from _bound(ev, replace(use, inside=inside), part, by_any_part)


def _added_to(ev: Evaluator, bound: Place, name: str) -> Iterator[Place]:
    """Yield the targets of what is added in place to a name that a statement binds: `out += x`."""
    bindings = bound.scope.bindings.get(name, [])
    for one in bindings:
        if one.kind == "augment" and isinstance(one.statement, ast.AugAssign):
            place = Place(bound.file, one.statement.target, one.statement)
            found = reaching(bound.file.index, bindings, one.statement, ev.decide(place)).definitions
            if any(binding.statement is bound.statement for binding in found):
                yield place
