"""Attributes of modules that are read from outside their methods: what they keep of their inputs is where they are."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.parallel.device_transfer import transferred
from torchlint.model.values.value_sets import Device, Display, Instance, Possibility, Tensor, Tuple, ValueSet
from torchlint.syntax.around import is_self

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_CHOSEN: frozenset[Device | None] = frozenset({Device()})


def beside_module(ev: Evaluator, place: Place, owner: Possibility, found: ValueSet) -> ValueSet:
    """Return an attribute of an object at a place, on the device of the object if that is a module.

    Inside `forward` an input is on a device that is chosen at run time; from outside it is known which.
    """
    module = _other_module(ev, place, owner) if any(map(_may_be_moved, found)) else None
    return found if module is None else transferred(ev, found, _CHOSEN, ev.residence(module))


def _may_be_moved(one: Possibility) -> bool:
    """Tell whether something is, or may hold, a tensor on a device that is chosen at run time."""
    match one.value:
        case Tensor(device=device):
            return device in _CHOSEN
        case value:
            return isinstance(value, (Display, Instance, Tuple))


def _other_module(ev: Evaluator, place: Place, owner: Possibility) -> Place | None:
    """Return the module that an attribute is read from outside its methods: `recorder.seen` is where that is."""
    node = place.expression
    if not isinstance(node, ast.Attribute) or is_self(node.value) or ev.has_cuda is not True:
        return None
    return place.at(node.value) if is_module(ev, owner.value) else None
