"""Where a module that is an attribute is: moved by a method of the class, before it was stored, or with its owner."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.attributes.constructing import constructing
from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.devices.moved_by_calls import every_move
from torchlint.model.devices.moving import (
    Move,
    agreed,
    device_argument,
    moved_by,
    moved_in_place,
)
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.modules.held import by_definition
from torchlint.model.place import Place, Residence
from torchlint.model.values.frames import frame_into
from torchlint.model.values.value_sets import HOST, Built, Class, Frame, Instance, Possibility
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.scope import Binding, Scope, Store
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_OWN_MOVES = re.compile(r"\bself\.(to|cuda)\(")


def of_attribute(ev: Evaluator, module: Place) -> Residence | None:
    """Return where the module of an attribute is when it is read."""
    node = module.expression
    assert isinstance(node, ast.Attribute)
    own = [store for store in module.file.index.attribute_stores(node.attr) if _is_here(module, store, node)]
    here: list[Binding | Store | Move] = [*own, *every_move(ev, module)]
    reached = reaching(module.file.index, here, module.statement, ev.decide(module)) if here else None
    if reached is not None and reached.definitions and not reached.open:
        return agreed(by_definition(ev, module, one) for one in reached.definitions)
    found = [_of_member(ev, module, owner, node.attr) for owner in ev.evaluate(module.at(node.value))]
    if reached is not None:
        found += [by_definition(ev, module, one) for one in reached.definitions]
    return agreed(found)


def _is_here(module: Place, store: Store, node: ast.Attribute) -> bool:
    in_scope = module.file.index.home[store.statement][0].scope is module.scope
    return in_scope and written(store.target) == written(node.value)


def _of_member(ev: Evaluator, module: Place, owner: Possibility, name: str) -> Residence | None:
    """Return where the module of an attribute is: moved by a method of the class, when stored, or with its owner."""
    node = module.expression
    assert isinstance(node, ast.Attribute)
    if isinstance(owner.value, Built):
        return ev.resides(module.at(node.value)) if is_module(ev, owner.value) else None
    if not isinstance(owner.value, Instance):
        return None
    stored: list[Residence | None] = []
    moves: list[Residence | None] = []
    for kind in family(ev, owner.value.kind):
        if isinstance(kind, Class):
            stored += _stored(ev, kind, owner, name)
            moves += _moves(ev, kind, owner, name)
    if moves:
        return agreed(moves)
    where = agreed(stored)
    if where is not None and (where.device != HOST or _is_placed_by_class(module, owner.value.kind, name)):
        return where
    # What is stored on the host moves with its owner.
    along = ev.resides(module.at(node.value)) if is_module(ev, owner.value) else None
    return along or where


def _is_placed_by_class(module: Place, kind: Class, name: str) -> bool:
    """Tell whether a class moves its parts to its own device, so that the whole is never moved.

    If a call in the frame names the object, that shows where the whole is.
    """
    if frame_into(module, module.scope) is not None or _OWN_MOVES.search(kind.file.code_of(kind.scope.node)):
        return False
    values = [store.value for store in kind.file.stores.own(kind.scope, name)]
    return bool(values) and all(_moves_to_named(value) for value in values)


def _moves_to_named(value: ast.expr | None) -> bool:
    """Tell whether an expression moves a module to a named device: `nn.Linear(4, 2).to(self.device)`."""
    match value:
        case ast.Call(func=ast.Attribute(attr="to")):
            return isinstance(device_argument(value, "to"), (ast.Name, ast.Attribute))
        case _:
            return False


def _stored(ev: Evaluator, kind: Class, owner: Possibility, name: str) -> Iterator[Residence | None]:
    for store in kind.file.stores.own(kind.scope, name):
        method = kind.file.index.home[store.statement][0].scope
        if store.value is not None:
            origin = owner.origin
            is_made = method.name == "__init__" and origin is not None and isinstance(origin.expression, ast.Call)
            frame = Frame(method, origin, owner) if is_made and origin is not None and origin.frame is None else None
            yield by_definition(ev, Place(kind.file, store.value, store.statement, frame), store)


def _moves(ev: Evaluator, kind: Class, owner: Possibility, name: str) -> Iterator[Residence | None]:
    """Yield where statements of a class's methods move an attribute: `self.model.to(device)`.

    What `__init__` does depends on its arguments: `Runner(device="cpu")`. A method that moves it to the CPU and back,
    to save it, says nothing of where it is otherwise.
    """
    for method in sorted(MOVES):
        for call, statement in kind.file.index.calls(method):
            scope = kind.file.index.home[statement][0].scope
            match moved_in_place(call, statement):
                case ast.Attribute(value=target, attr=attr) if attr == name and _is_on_receiver(kind, scope, target):
                    made = Place(kind.file, call, statement, constructing(ev, scope, owner))
                    if is_reachable(ev, made) and not _goes_back(kind, scope, target, attr):
                        yield moved_by(ev, made, method, None)


def _goes_back(kind: Class, method: Scope, owner: ast.expr, name: str) -> bool:
    """Tell whether a method also reads a copy on the CPU, or of what a wrapper holds: `self.net.cpu().state_dict()`."""
    module = f"{written(owner)}.{name}"
    calls = ((call, at) for call, at in kind.file.index.calls("cpu") if kind.file.index.home[at][0].scope is method)
    receivers = (call.func.value for call, _ in calls if isinstance(call.func, ast.Attribute))
    return any(written(one) in {module, f"{module}.module"} for one in receivers)


def _is_on_receiver(kind: Class, method: Scope, target: ast.expr) -> bool:
    if method.kind != "function" or method.outer is not kind.scope or not method.parameters:
        return False
    return isinstance(target, ast.Name) and target.id == method.parameters[0].name
