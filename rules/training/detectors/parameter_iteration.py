"""Loops over the parameters of a module: `for p in net.parameters()`, and over lists of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import definitions
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function, Instance, Possibility
from torchlint.pytorch.module_attributes import PARAMETERS_OF
from torchlint.syntax.around import is_self
from torchlint.syntax.iterated import items_of
from torchlint.syntax.last_names import callee_name, last_name
from torchlint.syntax.scope import Binding, Selector

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_Item = TypeVar("_Item")


_NOWHERE: Place | None = None


def parameters_of(ev: Evaluator, items: Place, selector: Selector = ()) -> Place | None:
    """Return where the parameters in an expression are read from a module, None if it may hold others.

    `selector` is the part of each item: `(1,)` for `p` in `for name, p in net.named_parameters()`.
    """
    match items.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr="parameters"), args=[] | [ast.Constant()]):
            return items if selector == () and _has_parameters(ev, items.at(owner)) else None
        case ast.Call(func=ast.Attribute(value=owner, attr="named_parameters")):
            return items if selector == (1,) and _has_parameters(ev, items.at(owner)) else None
        case ast.Call(args=[_, *_] as given):
            return _of_call(ev, items, given, selector)
        case ast.ListComp(elt=ast.Name(id=name), generators=[ast.comprehension(target=target, iter=source)]):
            part = _part(target, name)
            return parameters_of(ev, items.at(source), part) if part is not None and not selector else None
        case ast.Subscript(value=group, slice=ast.Constant(value="params")):
            return items if selector == () and _is_group(ev, items.at(group)) else None
        case ast.Name():
            return _of_name(ev, items, selector)
        case ast.Attribute(value=owner, attr=name) if is_self(owner):
            return _of_attribute(ev, items, name, selector)
        case _:
            return None


def _of_call(ev: Evaluator, items: Place, given: list[ast.expr], selector: Selector) -> Place | None:
    assert isinstance(items.expression, ast.Call)
    inner, part = items_of(items.expression, selector)
    if inner is not items.expression:
        return parameters_of(ev, items.at(inner), part)
    match callee_name(items.expression):
        case "filter" if len(given) == 2:
            return parameters_of(ev, items.at(given[1]), selector)
        case "chain":
            return _all(given, lambda one: parameters_of(ev, items.at(one), selector))
        case _:
            return None


@tabled(_NOWHERE)
def _of_name(ev: Evaluator, items: Place, selector: Selector) -> Place | None:
    """Return the parameters of a name's list, by what it was assigned or every caller passes."""
    return _all(definitions(ev, items), lambda one: _of_definition(ev, items, one, selector))


def _of_definition(ev: Evaluator, items: Place, one: Binding, selector: Selector) -> Place | None:
    if one.kind == "parameter":
        return _of_argument(ev, items, one.name, selector)
    if one.kind != "assign" or one.value is None or one.selector:
        return None
    return parameters_of(ev, Place(items.file, one.value, one.statement), selector)


def _of_argument(ev: Evaluator, items: Place, name: str, selector: Selector) -> Place | None:
    scope = items.scope
    parameter = next(one for one in scope.parameters if one.name == name)
    if parameter.star:
        return None
    given = [caller.argument(parameter) for caller in ev.callers(Function(items.file, scope))]
    return _all(given, lambda one: parameters_of(ev, one[0], selector) if one else None)


@tabled(_NOWHERE)
def _of_attribute(ev: Evaluator, items: Place, name: str, selector: Selector) -> Place | None:
    """Return the parameters of an object's list, by what the methods of its class store there."""
    index = items.file.index
    stores = [one for one in index.attribute_stores(name) if is_self(one.target)]
    own = [one for one in stores if index.home[one.statement][0].scope.outer is items.scope.outer]
    if any(one.kind != "assign" or one.selector or one.value is None for one in own):
        return None
    values = [Place(items.file, one.value, one.statement) for one in own if one.value is not None]
    return _all(values, lambda one: parameters_of(ev, one, selector))


def _all(found: Iterable[_Item], asked: Callable[[_Item], Place | None]) -> Place | None:
    """Return the first answer, if there is one for each."""
    answers = [asked(one) for one in found]
    return answers[0] if answers and None not in answers else None


def _part(target: ast.expr, name: str) -> Selector | None:
    """Return which part of an item a name of a comprehension takes."""
    match target:
        case ast.Name(id=found):
            return () if found == name else None
        case ast.Tuple(elts=parts):
            return next(((i,) for i, part in enumerate(parts) if last_name(part) == name), None)
        case _:
            return None


def _is_group(ev: Evaluator, group: Place) -> bool:
    """Tell whether a name is of the parameter groups of an optimizer: `for group in self.param_groups`."""
    if not isinstance(group.expression, ast.Name):
        return False
    found = definitions(ev, group)
    return bool(found) and all(
        one.kind == "iterate" and one.value is not None and last_name(one.value) == "param_groups" for one in found
    )


def _has_parameters(ev: Evaluator, owner: Place) -> bool:
    """Tell whether an expression is a module, whose `parameters()` are those of PyTorch."""
    possible = ev.evaluate(owner)
    return bool(possible) and all(_is_of_torch(ev, one) for one in possible)


def _is_of_torch(ev: Evaluator, one: Possibility) -> bool:
    if not is_module(ev, one.value):
        return False
    return not isinstance(one.value, Instance) or all(
        method_of(ev, one.value.kind, name) is None for name in PARAMETERS_OF
    )
