"""Where concatenated tensors are: all of them must be on one device, so that one determines the others."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Device, Tensor, ValueSet
from torchlint.pytorch.dtypes import JOINING
from torchlint.syntax.arguments import passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def end_to_end(ev: Evaluator, place: Place, name: str, results: list[Tensor]) -> list[Tensor]:
    """Return the results of a function, on the device of one of the concatenated tensors."""
    device = _common_device(ev, place) if name in JOINING else None
    return [replace(one, device=device) for one in results] if device is not None else results


def _common_device(ev: Evaluator, place: Place) -> Device | None:
    """Return the device that some tensor of the sequence is surely on: `torch.cat((log, torch.zeros(1, 3)))`."""
    call = place.expression
    parts = passed(call, "tensors", 0) if isinstance(call, ast.Call) else None
    if not isinstance(parts, (ast.List, ast.Tuple)):
        return None
    devices = (_device_of(ev.evaluate(place.at(part))) for part in parts.elts)
    return next((device for device in devices if device is not None), None)


def _device_of(possible: ValueSet) -> Device | None:
    devices = {one.value.device if isinstance(one.value, Tensor) else None for one in possible}
    return devices.pop() if len(devices) == 1 and not any(_is_made_empty(one.origin) for one in possible) else None


def _is_made_empty(origin: Place | None) -> bool:
    """Tell whether a tensor is made without elements: it may be on another device than the rest."""
    match origin.expression if origin is not None else None:
        case ast.Call(args=[]) | ast.Call(args=[ast.List(elts=[]) | ast.Constant(value=0), *_]):
            return True
        case _:
            return False
