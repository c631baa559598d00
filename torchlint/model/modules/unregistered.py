"""Modules and parameters in a plain list or dict of a module, which does not see them there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.linking.classes import is_module, method_of
from torchlint.model.modules.picking import is_picked_from
from torchlint.model.modules.registered import has_parameters, is_parameter
from torchlint.model.modules.registering import is_given_to_register
from torchlint.model.place import Place
from torchlint.model.syntax.exits import loops_of
from torchlint.model.syntax.walk import walk, written
from torchlint.model.values.possible import Class, Display, Imported, Instance, Possibility
from torchlint.model.values.undisplayed import is_no_display

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.syntax.scope import Scope, Store

_ADDING = ("append", "insert", "extend", "add", "update", "setdefault", "appendleft")
# Whoever calls or defines these sees to the registration, or to the moves, himself.
_REGISTERING = ("add_module", "register_module", "setattr", "__setattr__", "register_parameter")
_OWN_MOVES = ("_apply", "to", "cuda", "parameters", "named_parameters")


@dataclass(frozen=True, slots=True)
class HiddenModules:
    """A plain list or dict that a module keeps modules or parameters in."""

    place: Place
    """What is assigned to the attribute."""
    member: Place
    """The first of the modules or parameters."""
    is_dict: bool
    is_parameter: bool


@dataclass(frozen=True, slots=True)
class _Kept:
    """A store of a list or dict into an attribute of `self`, and the names that it goes by in the class."""

    store: Store
    written: Place
    names: tuple[str, ...]


def hidden_modules(ev: Evaluator, kind: Class) -> Iterator[HiddenModules]:
    """Yield the lists and dicts in attributes of a class's objects that hold modules nobody else registers."""
    if not is_module(ev, Instance(kind)) or any(method_of(ev, kind, name) is not None for name in _OWN_MOVES):
        return
    if any(_is_within(kind, statement) for name in _REGISTERING for _, statement in kind.file.index.calls(name)):
        return
    for kept in _kept(ev, kind):
        if _is_handed_on(ev, kind, kept) or _is_registered_in_turn(ev, kind, kept):
            continue
        if is_picked_from(ev, kept.written, kept.names):
            continue
        for member in _members(kind, kept):
            if (one := _hidden(ev, member, kept)) is not None:
                is_dict = isinstance(kept.written.expression, (ast.Dict, ast.DictComp))
                assert kept.store.value is not None
                place = Place(kind.file, kept.store.value, kept.store.statement)
                yield HiddenModules(place, member, is_dict, is_parameter(ev, one))
                break


def _is_within(kind: Class, statement: ast.stmt) -> bool:
    return _class_of(kind.file.index.home[statement][0].scope) is kind.scope


def _class_of(scope: Scope | None) -> Scope | None:
    while scope is not None and scope.kind != "class":
        scope = scope.outer
    return scope


def _kept(ev: Evaluator, kind: Class) -> Iterator[_Kept]:
    for store in kind.file.index.stores:
        method = kind.file.index.home[store.statement][0].scope
        if not isinstance(store.key, str) or store.kind != "assign" or store.selector or store.value is None:
            continue
        if method.outer is not kind.scope or not method.parameters:
            continue
        if not isinstance(store.target, ast.Name) or store.target.id != method.parameters[0].name:
            continue
        value = Place(kind.file, store.value, store.statement)
        if is_no_display(value):
            continue
        values = ev.evaluate(value)
        if len(values) == 1 and isinstance(values[0].value, Display):
            names = [f"{store.target.id}.{store.key}"]
            if isinstance(store.value, ast.Name):
                names.append(store.value.id)
            yield _Kept(store, values[0].value.place, tuple(names))


def _is_handed_on(ev: Evaluator, kind: Class, kept: _Kept) -> bool:
    """Tell whether the list goes into a container of PyTorch, or the attribute is given another value later."""
    for call, statement in kind.file.index.expressions(ast.Call):
        arguments = (*call.args, *(word.value for word in call.keywords))
        if not _is_within(kind, statement) or not any(_mentions(one, kept.names) for one in arguments):
            continue
        if any(
            isinstance(one.value, Imported) and one.value.name.startswith(("torch.nn.", "collections.OrderedDict"))
            for one in ev.evaluate(Place(kind.file, call.func, statement))
        ):
            return True
        if isinstance(call.func, ast.Attribute) and call.func.attr == "__init__":
            return True
    stores = (s for s in kind.file.index.attribute_stores(str(kept.store.key)) if _is_within(kind, s.statement))
    return any(isinstance(s.value, ast.Call) and s is not kept.store for s in stores)


def _is_registered_in_turn(ev: Evaluator, kind: Class, kept: _Kept) -> bool:
    """Tell whether a loop over the list registers what is in it: `for one in self.parts: self.nets.append(one[0])`."""
    index = kind.file.index
    for call, statement in (pair for method in _ADDING for pair in index.calls(method) if _is_within(kind, pair[1])):
        around = (one for one in loops_of(index, statement) if isinstance(one, ast.For))
        for loop in (one for one in around if _mentions(one.iter, kept.names)):
            items = tuple(written(node) for node in walk(loop.target) if isinstance(node, ast.Name))
            if any(_mentions(one, items) for one in call.args) and isinstance(call.func, ast.Attribute):
                registering = ev.evaluate(Place(kind.file, call.func.value, statement))
                if any(is_module(ev, one.value) for one in registering):
                    return True
    return False


def _mentions(node: ast.AST, names: tuple[str, ...]) -> bool:
    return any(written(part) in names for part in walk(node) if isinstance(part, (ast.Name, ast.Attribute)))


def _members(kind: Class, kept: _Kept) -> Iterator[Place]:
    """Yield what the list or dict holds: what is written in it, and what its class puts there."""
    yield from _written(kept.written)
    index = kind.file.index
    for method in _ADDING:
        for call, statement in index.calls(method):
            if call.args and isinstance(call.func, ast.Attribute) and _is_of(kind, kept, call.func.value, statement):
                yield from _parts(Place(kind.file, call.args[-1], statement))
    for store in index.stores:
        # `self.teacher[0] = teacher.to(x.device)` adds nothing to the one that is hidden.
        is_item = not isinstance(store.key, str) and not store.selector and not _hides(kept.written.expression)
        if is_item and store.value is not None and _is_of(kind, kept, store.target, store.statement):
            yield from _parts(Place(kind.file, store.value, store.statement))
    for addition in index.statements(ast.AugAssign):
        if _is_of(kind, kept, addition.target, addition):
            yield from _parts(Place(kind.file, addition.value, addition))


def _is_of(kind: Class, kept: _Kept, container: ast.expr, statement: ast.stmt) -> bool:
    """Tell whether an expression in the class names the list or dict."""
    return _is_within(kind, statement) and written(container) in kept.names


def _parts(place: Place) -> Iterator[Place]:
    is_container = isinstance(place.expression, (ast.List, ast.Tuple, ast.ListComp, ast.Dict, ast.DictComp))
    yield from _written(place) if is_container else iter((place,))


def _written(place: Place) -> Iterator[Place]:
    """Yield the items that a list or dict is written with, those of lists in it included."""
    match place.expression:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items) if not _hides(place.expression):
            for one in items:
                yield from _parts(place.at(one))
        case ast.Dict(values=items):
            for one in items:
                yield from _parts(place.at(one))
        case ast.ListComp(elt=one) | ast.SetComp(elt=one) | ast.DictComp(value=one) | ast.GeneratorExp(elt=one):
            yield from _parts(place.at(one))


def _hides(node: ast.expr) -> bool:
    """Tell whether this is a list of one name, which hides a module on purpose: `self.teacher = [teacher]`."""
    match node:
        case ast.List(elts=[only]) | ast.Tuple(elts=[only]) | ast.Set(elts=[only]):
            return isinstance(only, (ast.Name, ast.Attribute))
        case _:
            return False


def _hidden(ev: Evaluator, member: Place, kept: _Kept) -> Possibility | None:
    """Return the module or parameter that a member is, where it is made here and kept nowhere else."""
    possible = ev.evaluate(member)
    if not possible or not all(is_parameter(ev, one) or is_module(ev, one.value) for one in possible):
        return None
    for one in possible:
        if (
            one.origin is None
            or _is_kept_elsewhere(ev, member, one.origin, kept)
            or _came_from_outside(member, one.origin)
        ):
            return None
    return next((one for one in possible if is_parameter(ev, one) or has_parameters(ev, one.value)), None)


def _is_kept_elsewhere(ev: Evaluator, member: Place, made: Place, kept: _Kept) -> bool:
    """Tell whether a member is also an attribute, of whatever module, or in another container, which registers it."""
    if isinstance(member.expression, ast.Attribute) or _is_part(ev, member):
        return True
    names = {member.word}
    if isinstance(made.statement, ast.Assign):
        if any(isinstance(target, ast.Attribute) for target in made.statement.targets):
            return made.statement.value is made.expression
        names |= {target.id for target in made.statement.targets if isinstance(target, ast.Name)}
    index = made.file.index
    elsewhere = [store.value for store in index.stores if isinstance(store.key, str) or _is_other(store.target, kept)]
    for method in _ADDING:
        for call, _ in index.calls(method):
            if isinstance(call.func, ast.Attribute) and _is_other(call.func.value, kept):
                elsewhere += call.args
    is_named = any(isinstance(value, ast.Name) and value.id in names for value in elsewhere)
    return is_named or is_given_to_register(ev, member, names)


def _is_part(ev: Evaluator, member: Place) -> bool:
    """Tell whether a member is taken out of another module, which has it: `layer[0]` of a `Sequential`."""
    owner = member.owner if isinstance(member.expression, ast.Subscript) else None
    return owner is not None and any(is_module(ev, one.value) for one in ev.evaluate(owner))


def _is_other(container: ast.expr, kept: _Kept) -> bool:
    return isinstance(container, ast.Attribute) and written(container) not in kept.names


def _came_from_outside(member: Place, made: Place) -> bool:
    """Tell whether a member was handed to the class: who made it may well have registered it."""
    names = {parameter.name for parameter in member.scope.parameters[1:]}
    parts = (node.id for node in walk(member.expression) if isinstance(node, ast.Name))
    return not isinstance(member.expression, ast.Call) and made.scope is not member.scope and bool(names & set(parts))
