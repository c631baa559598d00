"""What a name may be: its reaching definitions, or the bindings of enclosing scopes and files."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.imports import imported, imported_by_stars
from torchlint.model.containers.displays import elements_of
from torchlint.model.containers.items import select, taken
from torchlint.model.containers.iterated_items import iterated_item
from torchlint.model.containers.refilling import put_under
from torchlint.model.guards.path_conditions import facts_here
from torchlint.model.place import Place
from torchlint.model.tensors.data_stores import with_data
from torchlint.model.training.differentiated import as_differentiated
from torchlint.model.values.iterations import before_loop, number_in, ran
from torchlint.model.values.joins import either
from torchlint.model.values.operators import combine_in_place
from torchlint.model.values.parameters import argument_of_lambda, parameter_of
from torchlint.model.values.rebound_globals import held_outside
from torchlint.model.values.surviving import past, survivors
from torchlint.model.values.unpacked_loops import elements_for_tests
from torchlint.model.values.value_sets import CUT, UNKNOWN, Class, Function, Imported, ValueSet, known
from torchlint.syntax.definitions import Reaching
from torchlint.syntax.flow_walk import MOST_DEFINITIONS
from torchlint.syntax.reaching_definitions import at_end, reaching
from torchlint.syntax.scope import Binding, Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_BUILTINS = frozenset(dir(builtins))


def name_of(ev: Evaluator, place: Place) -> ValueSet:
    """Return what a name may be at a place."""
    node = place.expression
    assert isinstance(node, ast.Name)
    for bound_in, binding in bound_inside(place):
        if binding is None:
            return argument_of_lambda(ev, place, bound_in)
        return _bound(ev, Place(place.file, bound_in, place.statement, place.frame, place.given), binding)
    return _in_scopes(ev, place, node.id)


def global_of(ev: Evaluator, file: ParsedFile, name: str) -> ValueSet:
    """Return what a name of a file may be once the file is loaded, bottom if the file has no such name."""
    scope = file.index.scope
    if name not in scope.bindings:
        return imported_by_stars(ev, file, name)
    first = file.tree.body[0]
    place = Place(file, ast.Constant(None), first)
    return any_of(ev, place, at_end(file.index, scope, name, ev.decide(place)).definitions)


def _in_scopes(ev: Evaluator, place: Place, name: str) -> ValueSet:
    scope: Scope | None = place.scope
    own = True
    while scope is not None:
        if name in scope.bindings and (own or scope.kind != "class"):
            found = _in_scope(ev, place, scope, name, own)
            if found.definitions and (not found.open or name not in scope.outside):
                if not own:
                    return any_of(ev, _outside(place), found.definitions)
                survived = with_data(ev, place, name, _surviving(ev, place, found.definitions), found.definitions)
                return as_differentiated(ev, place, name, survived, found.definitions)
        scope, own = scope.outer, False
    if starred := imported_by_stars(ev, place.file, name):
        return starred
    return known(Imported(f"builtins.{name}")) if name in _BUILTINS else UNKNOWN


def _surviving(ev: Evaluator, place: Place, definitions: tuple[Binding, ...]) -> ValueSet:
    """Return what the definitions that still hold at a place bind a name to."""
    there = ran(place, definitions[:MOST_DEFINITIONS])
    held = ((one, seen) for at, one in there if (seen := past(at, one)) is not None)
    found = [survivors(ev, seen, one, _bound(ev, seen, one)) for one, seen in held]
    return either(*found, *_rest(definitions))


def _in_scope(ev: Evaluator, place: Place, scope: Scope, name: str, own: bool) -> Reaching[Binding]:
    index = place.file.index
    if own:
        return reaching(index, scope.bindings[name], place.statement, ev.decide(place))
    return held_outside(ev, _outside(place), scope, name)


def _outside(place: Place) -> Place:
    """Return the place without its call context: names of enclosing scopes do not depend on it."""
    return Place(place.file, place.expression, place.statement)


def any_of(ev: Evaluator, place: Place, bindings: tuple[Binding, ...]) -> ValueSet:
    """Return what a name may be at a place, if any of these bindings may be its last."""
    return either(*(_bound(ev, place, binding) for binding in bindings[:MOST_DEFINITIONS]), *_rest(bindings))


def _rest(definitions: tuple[Binding, ...]) -> tuple[ValueSet, ...]:
    """Return what represents the definitions beyond the limit."""
    return (CUT,) if len(definitions) > MOST_DEFINITIONS else ()


def _bound(ev: Evaluator, place: Place, binding: Binding) -> ValueSet:
    """Return what a binding binds its name to, evaluated from a place."""
    match binding.kind:
        case "function" if binding.scope is not None:
            return known(Function(place.file, binding.scope))
        case "class" if binding.scope is not None:
            return known(Class(place.file, binding.scope))
        case "import" if binding.imported is not None:
            return imported(ev, place.file, binding.imported)
        case "parameter":
            return parameter_of(ev, place, binding)
    if binding.value is None:
        return UNKNOWN
    value_place = Place(place.file, binding.value, binding.statement, place.frame, facts_here(place))
    if binding.kind == "iterate" and (number := number_in(place, binding.value)) is not None:
        return taken(ev, iterated_item(ev, before_loop(value_place, binding.value), number), binding)
    value = ev.evaluate(value_place)
    if binding.kind == "augment" and isinstance(binding.statement, ast.AugAssign):
        before = ev.evaluate(value_place.at(binding.statement.target))
        return combine_in_place(ev, before, binding.statement, value, value_place)
    if binding.kind == "iterate":
        value = elements_for_tests(ev, place, binding, elements_of(ev, value))
    elif binding.selector and binding.selector[0] is not None:
        # `x, y = batch` takes what was put into the batch since it was made.
        put = put_under(ev, value_place, binding.selector[0])
        return either(select(ev, put, binding.selector[1:]), taken(ev, value, binding))
    return taken(ev, value, binding)


def bound_inside(place: Place) -> Iterator[tuple[ast.expr, Binding | None]]:
    """Yield the binding of a name within the statement: by a comprehension, a lambda or a walrus."""
    node = place.expression
    assert isinstance(node, ast.Name)
    if place.statement not in place.file.index.binding:
        return
    parents = place.file.parents_in(place.statement)
    child: ast.AST = node
    below: ast.AST = node
    while parents.bind:
        if (near := parents.near_binding(child)) is not child:
            below = child = near
        if (parent := parents.get(child)) is None:
            break
        match parent:
            case ast.Lambda(args=arguments):
                every = (
                    *arguments.posonlyargs,
                    *arguments.args,
                    *arguments.kwonlyargs,
                    arguments.vararg,
                    arguments.kwarg,
                )
                if any(argument is not None and argument.arg == node.id for argument in every):
                    yield parent, None
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from _bound_by_comprehension(parent, node.id, below, place.statement)
        below, child = child, parent
    for walrus in place.file.walruses_in(place.statement):
        if walrus.target.id == node.id and _before(walrus, node):
            yield walrus, Binding(node.id, "assign", place.statement, walrus.value)


def _bound_by_comprehension(
    comprehension: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
    name: str,
    part: ast.AST,
    statement: ast.stmt,
) -> Iterator[tuple[ast.expr, Binding]]:
    """Yield what a comprehension binds a name to in one of its parts."""
    for generator in comprehension.generators:
        if part is generator.iter:
            return
        if (selector := _position_of(name, generator.target)) is not None:
            yield comprehension, Binding(name, "iterate", statement, generator.iter, selector)


def _position_of(name: str, target: ast.expr) -> tuple[int | None, ...] | None:
    match target:
        case ast.Name(id=found):
            return () if found == name else None
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for position, part in enumerate(parts):
                if (rest := _position_of(name, part)) is not None:
                    return (position, *rest)
    return None


def _before(walrus: ast.NamedExpr, node: ast.Name) -> bool:
    return (walrus.lineno, walrus.col_offset) < (node.lineno, node.col_offset) and walrus.target is not node
