"""State that is restored tensor by tensor: `parameter.data.copy_(saved[name])`, `own[key].copy_(saved[key])`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.place import Place
from torchlint.model.values.def_use import Use, ancestors
from torchlint.model.values.value_sets import StateDict
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_ITERATED = frozenset({"parameters", "named_parameters", "buffers", "named_buffers"})


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
    return any(isinstance(function, ast.Attribute) and function.attr in _ITERATED for function in calls)
