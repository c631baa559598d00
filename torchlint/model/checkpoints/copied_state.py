"""State that is restored piece by piece: `own[key].copy_(saved[key])`, `self.__dict__[key] = value`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.place import Place
from torchlint.model.values.def_use import Use, ancestors
from torchlint.model.values.value_sets import Instance, StateDict, Value
from torchlint.pytorch.module_attributes import TENSORS_OF
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def is_copied_into_module(ev: Evaluator, use: Use) -> bool:
    """Tell whether what is read, or an item of it, is copied into a parameter or buffer of a module."""
    if not use.is_whole and not _is_item(use):
        return False
    for parent, child in ancestors(use.place):
        match parent:
            case ast.Subscript(value=value) | ast.Attribute(value=value) if value is child:
                pass
            case ast.Call(func=ast.Attribute(value=filled, attr="copy_"), args=[first, *_]) if first is child:
                return _is_of_module(ev, use.place.at(filled))
            case _:
                return False
    return False


def is_put_into_object(ev: Evaluator, use: Use) -> bool:
    """Tell whether what is read, or an item of it, becomes an attribute of an object that has modules."""
    if not use.is_whole and not _is_item(use):
        return False
    place = use.place
    match place.statement:
        case ast.Assign(targets=[ast.Subscript(value=filled)], value=value) if value is place.expression:
            owner = _owner_of_attributes(filled)
        case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[owner, _, value])) if value is place.expression:
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=filled, attr="update"), args=[value])) if (
            value is place.expression
        ):
            owner = _owner_of_attributes(filled)
        case _:
            return False
    return owner is not None and any(_has_modules(ev, one.value) for one in ev.evaluate(place.at(owner)))


def _owner_of_attributes(mapping: ast.expr) -> ast.expr | None:
    """Return the object whose attributes a dict holds: `self` of `self.__dict__` and `vars(self)`."""
    match mapping:
        case ast.Attribute(value=owner, attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[owner]):
            return owner
        case _:
            return None


def _has_modules(ev: Evaluator, owner: Value) -> bool:
    """Tell whether the methods of a class put modules into attributes."""
    if not isinstance(owner, Instance):
        return False
    file, kind = owner.kind.file, owner.kind.scope
    own = (one for one in file.index.stores if file.index.home[one.statement][0].scope.outer is kind)
    values = (Place(file, one.value, one.statement) for one in own if one.value is not None)
    return any(is_module(ev, one.value) for value in values for one in ev.evaluate(value))


def _is_item(use: Use) -> bool:
    """Tell whether a loop reads items of what was loaded: `for name, value in saved.items():`."""
    before = use.before
    return before is not None and before.is_whole and isinstance(before.place.statement, (ast.For, ast.AsyncFor))


def _is_of_module(ev: Evaluator, tensor: Place) -> bool:
    """Tell whether a tensor is part of a module: of its state dict, its parameters, or an attribute of it."""
    match tensor.expression:
        case ast.Attribute(value=inner, attr="data"):
            return _is_of_module(ev, tensor.at(inner))
        case ast.Attribute(value=owner):
            possible = ev.evaluate(tensor.at(owner))
            return bool(possible) and all(is_module(ev, one.value) for one in possible)
        case ast.Subscript(value=container):
            possible = ev.evaluate(tensor.at(container))
            return bool(possible) and all(isinstance(one.value, StateDict) for one in possible)
        case ast.Name(id=name):
            bindings = tensor.scope.bindings.get(name, ())
            return bool(bindings) and all(one.kind == "iterate" and _iterates_parameters(one.value) for one in bindings)
        case _:
            return False


def _iterates_parameters(iterated: ast.expr | None) -> bool:
    """Tell whether a loop iterates over the parameters of a module, possibly along with something else."""
    calls = (node.func for node in walk(iterated) if isinstance(node, ast.Call)) if iterated is not None else ()
    return any(isinstance(function, ast.Attribute) and function.attr in TENSORS_OF for function in calls)
