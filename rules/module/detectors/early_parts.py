"""Modules, parameters and buffers that a constructor gives its module before `Module.__init__` has run.

`nn.Module.__init__` makes the tables in which they are registered; without these, `self.conv = nn.Conv2d(…)` raises
`AttributeError: cannot assign module before Module.__init__() call`, and `register_buffer` a similar error (torch
2.13). Plain values, tensors and lists are stored as in any object.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call
from torchlint.model.modules.registered import is_parameter
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Class, Possibility
from torchlint.pytorch.module_attributes import REGISTERING_MODULES, REGISTERING_TENSORS
from torchlint.pytorch.symbols import MODULE
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

from .initializing import initializing_calls, may_initialize_without, module_order

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

    from .initializing import Order

_LAYER = re.compile(r"torch\.nn\.(modules\.\w+\.)?[A-Z]\w*")


@dataclass(frozen=True, slots=True)
class EarlyPart:
    """What a constructor gives its module too early."""

    place: Place
    """The attribute that is assigned, or the call that registers something."""
    initializing: Call | None
    """The call that runs `Module.__init__` too late; None if there is none."""
    elsewhere: Call | None
    """The call of a base's constructor before it, which does not run `Module.__init__`."""
    cure: str
    """The call to insert right before it, empty if unknown."""


def early_parts(ev: Evaluator, file: ParsedFile) -> Iterator[EarlyPart]:
    """Yield the first such part of each constructor in a file."""
    for constructor, given in _given(file).items():
        assert constructor.outer is not None
        order = module_order(ev, Class(file, constructor.outer))
        if order is None:
            continue
        calls = [Call(file, *pair) for pair in initializing_calls(ev, order, file, constructor)]
        first = min(calls, key=lambda call: call.line, default=None)
        early = [one for one in given if first is None or one[1].line < first.line]
        if not early or may_initialize_without(file, constructor):
            continue
        parts = (place for name, place in early if not _has_setter(order, name) and _is_part(ev, place))
        if (part := next(parts, None)) is not None:
            before = next((call for call in _base_calls(part) if call.line < part.line), None)
            yield EarlyPart(part, first, before, "" if before is not None else _cure(order, part, first))


def _cure(order: Order, part: Place, late: Call | None) -> str:
    """Return the call to insert before a part: the one that comes too late, or the plain one of a plain module."""
    if part.file.index.home[part.statement][0].owner is not part.scope.node:
        return ""
    if late is None:
        is_misspelled = any(callee_name(call) == "super" for call, _ in part.file.calls_in_scope(part.scope))
        return "super().__init__()" if order[1:2] == [MODULE] and not is_misspelled else ""
    return late.text if late.is_statement and _is_of_parameters(late) else ""


def _base_calls(place: Place) -> Iterator[Call]:
    pairs = place.file.calls_in_scope(place.scope)
    return (Call(place.file, call, at) for call, at in pairs if callee_name(call) == "__init__")


def _is_of_parameters(call: Call) -> bool:
    """Tell whether the arguments of a call depend on nothing that the constructor has computed before it."""
    bound = {name for name, given in call.scope.bindings.items() if any(one.kind != "parameter" for one in given)}
    given = (node for part in (*call.arguments, *call.keywords.values()) for node in walk(part.expression))
    return all(
        not isinstance(node, (ast.Attribute, ast.Call)) and getattr(node, "id", "") not in bound for node in given
    )


def _given(file: ParsedFile) -> dict[Scope, list[tuple[str, Place]]]:
    """Return, by constructor, what it assigns to its object's attributes or registers by a call, in source order."""
    found: dict[Scope, list[tuple[str, Place]]] = {}
    for store in file.index.stores:
        constructor = _constructor_of(file, store.target, store.statement)
        if constructor is None or not isinstance(store.key, str) or store.value is None:
            continue
        if store.kind == "assign" and not store.selector:
            found.setdefault(constructor, []).append((store.key, Place(file, store.value, store.statement)))
    for call, statement in (
        pair for method in (*REGISTERING_TENSORS, *REGISTERING_MODULES) for pair in file.index.calls(method)
    ):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else call
        if (constructor := _constructor_of(file, owner, statement)) is not None:
            found.setdefault(constructor, []).append(("", Call(file, call, statement)))
    return {constructor: sorted(given, key=lambda one: one[1].line) for constructor, given in found.items()}


def _constructor_of(file: ParsedFile, receiver: ast.expr, statement: ast.stmt) -> Scope | None:
    """Return the constructor around a statement, if the statement changes the object that is made."""
    scope = file.index.home[statement][0].scope
    if scope.name != "__init__" or not scope.is_method or not scope.parameters:
        return None
    is_own = isinstance(receiver, ast.Name) and receiver.id == scope.parameters[0].name
    return scope if is_own else None


def _has_setter(order: Order, name: str) -> bool:
    """Tell whether a class defines the name of an attribute itself, such as a property."""
    return any(isinstance(one, Class) and name in one.scope.bindings for one in order)


def _is_part(ev: Evaluator, place: Place) -> bool:
    """Tell whether something surely is a module, a parameter or a buffer, or the call that registers one."""
    if isinstance(place, Call):
        return True
    possible = ev.evaluate(place)
    return bool(possible) and all(_is_module(ev, one) or is_parameter(ev, one) for one in possible)


def _is_module(ev: Evaluator, one: Possibility) -> bool:
    if isinstance(one.value, Built) and one.value.name.startswith("torch."):
        return _LAYER.fullmatch(one.value.name) is not None
    return is_module(ev, one.value)
