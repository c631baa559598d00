"""Fixes that make a tensor where it is needed, instead of moving it there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torchlint
from torchlint import Fix

from .retyped import is_old, values_on

if TYPE_CHECKING:
    from torchlint import Call, Edit, Place

_TRACED = "`torch.jit.trace` records the value of `device=`, but not the device of another tensor"
RANDOM = "the GPU generates other random numbers than the CPU"
"""What to check if random numbers are made on another device."""


def made_there(made: Call, moved: Call) -> Fix | None:
    """`torch.zeros(3).to(device)` → `torch.zeros(3, device=device)`, with any calls in between."""
    if _changes_type(moved):
        return None
    return all_made_there((made,), moved, doubt=RANDOM if is_random(made) else "")


def all_made_there(made: tuple[Call, ...], moved: Call, *, doubt: str = "") -> Fix | None:
    """`torch.cat([torch.zeros(3), torch.ones(2)]).to(device)` → the same with `device=device` in both of them."""
    edits = _all_on_device(made, device_of(moved))
    if moved.owner is None or not edits:
        return None
    return Fix("Create it on the device", (*edits, *_left_out(moved, moved.owner)), safe=not doubt, doubt=doubt)


def _left_out(moved: Call, owner: Place) -> tuple[Edit, ...]:
    """Return the edits that remove a move, and with it the assignment of a name to itself; a new type is kept."""
    if _changes_type(moved):
        return moved.edits.drop_argument("device", 0)
    whole = moved.edits.remove(is_assigned=True) if owner.is_name and moved.bound_to == (owner.text,) else ()
    return whole or (moved.callee.edits.without_word(moved, ""),)


def made_like(made: tuple[Call, ...], moved: Call, other: Place, *, doubt: str = "") -> Fix | None:
    """`torch.zeros(3).to(x)` → `torch.zeros(3, device=x.device).to(x.dtype)`: the type is still taken over."""
    edits = _all_on_device(made, f"{other.text}.device")
    if not edits or len(moved.arguments) != 1:
        return None
    words, doubt = "Create it on the device, and convert it there", doubt or _TRACED
    renamed = (moved.callee.edits.rename("to"),) if moved.method != "to" else ()
    retyped = moved.arguments[0].edits.replace(f"{other.text}.dtype")
    return Fix(words, (*edits, *renamed, retyped), safe=False, doubt=doubt)


def _all_on_device(made: tuple[Call, ...], device: str) -> tuple[Edit, ...]:
    """Return the edits that make the tensors of several factories on a device, none if one would stay behind."""
    edits = [on_device(one, device) for one in made] if device else []
    return tuple(edit for each in edits for edit in each) if all(edits) else ()


def given_device(made: Call, moved: Call) -> tuple[Edit, ...]:
    """Return the edits that make a factory's tensor on the device that it is moved to."""
    device = device_of(moved)
    return on_device(made, device) if device and not _changes_type(moved) else ()


def on_device(made: Call, device: str) -> tuple[Edit, ...]:
    """Return the edits that make a factory's tensor on a device, none if they would need more."""
    if is_old(made):
        return values_on(made, device)
    edit = made.edits.last_argument(f"device={device}")
    return (edit,) if edit is not None else ()


def is_random(made: Call) -> bool:
    """Tell whether a factory makes random numbers, which differ on another device."""
    return made.method.startswith(("rand", "normal", "bernoulli", "multinomial", "poisson"))


def device_of(moved: Call) -> str:
    """Return the argument of a move if that is only a device, or nothing."""
    given = device_given(moved)
    if given is None:
        return ""
    values = [one.value for one in given.possibilities()]
    is_device = all(
        isinstance(value, (torchlint.Device, torchlint.Text))
        or (isinstance(value, torchlint.Literal) and str(value.value).islower())
        for value in values
    )
    # What is named a device is one, wherever it comes from.
    return given.text if (values and is_device) or "device" in given.word.lower() else ""


def device_given(moved: Call) -> Place | None:
    """Return the device argument of a move: by position or by keyword, with or without a type."""
    # Whether the copy is asynchronous does not matter to a tensor that is not copied.
    others = moved.keywords.keys() - {"device", "dtype", "non_blocking"}
    if moved.is_open or others or len(moved.arguments) > 2 or moved.method != "to":
        return None
    return moved.argument("device", 0)


def _changes_type(moved: Call) -> bool:
    """Tell whether a move to a device has a type as well: `.to(device, torch.long)`."""
    return len(moved.arguments) > 1 or "dtype" in moved.keywords
