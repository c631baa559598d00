"""What a parameter must be by how its function uses it, if no caller is known and no annotation says.

The body of `def train(model, loader, optimizer)` says as much as annotations would: `optimizer.zero_grad()` and
`optimizer.step()`. If a constructor stores a parameter in an attribute of `self`, all methods of its class count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import UNKNOWN, Built, Unknown, ValueSet, known
from torchlint.pytorch.contracts import CONTRACTS, Contract
from torchlint.syntax.scope import Binding
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.guardedfile import GuardedFile
    from torchlint.syntax.scope import Scope
    from torchlint.syntax.site import Site


@tabled(UNKNOWN)
def by_contract(_ev: Evaluator, file: ParsedFile, function: Scope, name: str) -> ValueSet:
    """Return what a parameter must be for the methods called on it; if it is bound to anything else, unknown."""
    return _held_by(file, function, name) if _stays_itself(function, name) else UNKNOWN


@tabled(UNKNOWN)
def made_by_contract(_ev: Evaluator, file: ParsedFile, function: Scope, name: str) -> ValueSet:
    """Return what a name must hold that is bound once, to the result of unknown code: `net = build()`, `net.eval()`."""
    match function.bindings.get(name, ()):
        case [Binding(kind="assign", selector=(), value=ast.Call())]:
            return _held_by(file, function, name)
        case _:
            return UNKNOWN


def is_open(possible: ValueSet) -> bool:
    """Tell whether everything that something may be is the result of unknown code."""
    return all(isinstance(one.value, (Unknown, Built)) for one in possible)


def _held_by(file: ParsedFile, function: Scope, name: str) -> ValueSet:
    methods: set[str] = set()
    is_called = False
    for attribute, scope in _known_as(file, function, name):
        methods |= _methods_called(file, scope, name, attribute)
        is_called = is_called or _is_called(file, scope, attribute or name, is_attribute=bool(attribute))
    held = (one for one in CONTRACTS if _is_kept(one, name, methods, is_called=is_called))
    contract = next(held, None)
    return known(Built(contract.name)) if contract is not None else UNKNOWN


def _is_kept(contract: Contract, name: str, methods: set[str], *, is_called: bool) -> bool:
    if contract.word is not None and contract.word.fullmatch(name) is None:
        return False
    if contract.any_of and contract.any_of.isdisjoint(methods):
        return False
    return contract.needs <= methods and (is_called or not contract.is_called)


def _stays_itself(function: Scope, name: str) -> bool:
    """Tell whether everything that rebinds a parameter is computed from it: `model = model.to(device)`."""
    values = [one.value for one in function.bindings.get(name, ()) if one.kind != "parameter"]
    return all(value is not None and any(_is_named(node, name) for node in walk(value)) for value in values)


def _is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _known_as(file: ParsedFile, function: Scope, name: str) -> Iterator[tuple[str, Scope]]:
    """Yield the function with no attribute, and the attributes of `self` that hold the parameter, with the class."""
    yield "", function
    if function.name != "__init__" or function.outer is None:
        return
    for store in file.index.stores:
        is_stored = store.value is not None and _is_named(store.value, name)
        if is_stored and isinstance(store.key, str) and file.index.home[store.statement][0].scope is function:
            yield store.key, function.outer


def _methods_called(file: ParsedFile, scope: Scope, name: str, attribute: str) -> set[str]:
    found = set()
    for call, statement in file.calls_on(attribute or name):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(owner, ast.Attribute if attribute else ast.Name) and _is_within(file, statement, scope):
            assert isinstance(call.func, ast.Attribute)
            found.add(call.func.attr)
    return found


def _is_called(file: ParsedFile, scope: Scope, name: str, *, is_attribute: bool) -> bool:
    form = ast.Attribute if is_attribute else ast.Name
    return any(isinstance(call.func, form) and _is_within(file, at, scope) for call, at in file.index.calls(name))


def _is_within(file: GuardedFile, statement: ast.stmt, scope: Scope) -> bool:
    """Tell whether a statement is in a function or class, or in a nested function."""
    around: Scope | None = file.index.home[statement][0].scope
    while around is not None and around is not scope:
        around = around.outer
    return around is scope


def parameter_of_attribute(place: Site) -> tuple[Scope, str] | None:
    """Return the function and the parameter that a name, or an attribute of `self`, holds; None for anything else."""
    match place.expression:
        case ast.Name(id=name):
            return (place.scope, name) if _is_parameter(place.scope, name) else None
        case ast.Attribute(value=ast.Name(id="self"), attr=attribute) if place.scope.outer is not None:
            return _stored_parameter(place.file, place.scope.outer, attribute)
        case _:
            return None


def _stored_parameter(file: GuardedFile, kind: Scope, attribute: str) -> tuple[Scope, str] | None:
    """Return the parameter of a constructor that an attribute holds, if that is the attribute's only store."""
    stores = [one for one in file.index.attribute_stores(attribute) if _is_within(file, one.statement, kind)]
    if len(stores) != 1 or not isinstance(stores[0].value, ast.Name):
        return None
    constructor, name = file.index.home[stores[0].statement][0].scope, stores[0].value.id
    return (constructor, name) if constructor.name == "__init__" and _is_parameter(constructor, name) else None


def _is_parameter(function: Scope, name: str) -> bool:
    return any(one.name == name and not one.star for one in function.parameters)
