"""What containers of modules wrap: `[nn.Sequential(layer) for layer in self.features]` makes no layer of its own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.containers.lists import added_to, stores_into
from torchlint.model.containers.module_containers import is_container
from torchlint.model.containers.named_modules import MAPPINGS
from torchlint.model.place import Caller, Place
from torchlint.model.tensors.scalars import sure_definitions
from torchlint.model.values.naming import bound_inside
from torchlint.pytorch.module_attributes import MODULES_OF
from torchlint.syntax.iterated import items_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Binding

_VIEWS = MODULES_OF | {"values", "items"}


def layers_in(ev: Evaluator, container: Place) -> list[Place]:
    """Return the layers that are written in the call of a container, and in the calls of those in it; none if open."""
    waiting, found = [container], list[Place]()
    while waiting:
        one = waiting.pop()
        if (parts := _parts(ev, one)) is None:
            found.append(one)
        else:
            waiting += parts
    return found if container not in found else []


def _parts(ev: Evaluator, place: Place) -> list[Place] | None:
    """Return what is written in a display, or in the call of a container that nothing is added to; None for others."""
    match place.expression:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(values=items):
            # The names in `OrderedDict([("conv", self.conv)])` are no layers.
            return [place.at(item) for item in items if not isinstance(item, ast.Constant)]
        case ast.Call(func=function, args=[item], keywords=[]) if not place.at(function).names.isdisjoint(MAPPINGS):
            return [place.at(item)]
        case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item) | ast.DictComp(value=item) | ast.Starred(value=item):
            return [place.at(item)]
        case ast.Call(args=[_, *_] as items, keywords=[]) if _is_closed(ev, place):
            return [place.at(item) for item in items]
        case _:
            return None


def _is_closed(ev: Evaluator, made: Place) -> bool:
    """Tell whether a call makes a container of modules, and nothing is added to that later."""
    possible = ev.evaluate(made)
    if not possible or not all(is_container(one.value) and one.origin == made for one in possible):
        return False
    return next(added_to(made), None) is None and next(stores_into(made), None) is None


def whole_of(ev: Evaluator, part: Place) -> Place:
    """Return the name or attribute that something is a part of: `self.features` for `layer` of its loop."""
    seen: set[Place] = set()
    while part not in seen:
        seen.add(part)
        part = _source(ev, part) or part
    return part


def _source(ev: Evaluator, part: Place) -> Place | None:
    """Return what an item, an attribute, or a view of a module is taken from."""
    match part.expression:
        case ast.Subscript(value=whole) | ast.Starred(value=whole):
            return part.at(whole)
        case ast.Attribute(value=ast.Attribute() | ast.Subscript() | ast.Call() as whole):
            return part.at(whole)
        case ast.Call(func=ast.Attribute(value=whole, attr=method)) if method in _VIEWS:
            return part.at(whole)
        case ast.Call():
            same, _ = items_of(part.expression, ())
            return part.at(same)
        case ast.Name():
            return _bound_to(ev, part)
        case _:
            return None


def _bound_to(ev: Evaluator, name: Place) -> Place | None:
    """Return what a loop takes a name from, or what part it is assigned."""
    inside = next(bound_inside(name), None)
    if inside is not None:
        return _from(name, inside[1]) if inside[1] is not None else None
    match sure_definitions(ev, name):
        case [one]:
            return _from(name, one)
        case _:
            return None


def _from(name: Place, one: Binding) -> Place | None:
    if one.kind == "parameter":
        return _passed(name, one)
    if one.value is None or one.kind not in {"iterate", "assign"}:
        return None
    at = Place(name.file, one.value, one.statement, name.frame, name.given)
    if one.kind == "iterate":
        return at.at(items_of(one.value, one.selector)[0])
    is_part = (
        isinstance(one.value, (ast.Attribute, ast.Subscript, ast.Name)) or items_of(one.value, ())[0] is not one.value
    )
    return at if is_part and not one.selector else None


def _passed(name: Place, one: Binding) -> Place | None:
    """Return the argument for a parameter, in the call that the place was reached by."""
    frame = name.frame
    if frame is None or frame.call is None or frame.function is not name.scope:
        return None
    parameter = next(given for given in name.scope.parameters if given.name == one.name)
    given = Caller.of_frame(frame, frame.call).argument(parameter) or ()
    return given[0] if len(given) == 1 else None
