"""Literal devices: strings, `torch.device(…)`, bare indices."""

from __future__ import annotations

import ast

from torchlint.model.values.value_sets import (
    Device,
    Imported,
    Literal,
    Number,
    Possibility,
    Text,
    Unknown,
    Value,
    ValueSet,
)


def device_of(value: Value) -> Device | None:
    """Return the device that a value names as a device argument, or None if it names none."""
    match value:
        case Device():
            return value
        case Literal(value=str(text)):
            return device_named(text)
        case Literal(value=bool()):
            return None
        case Literal(value=int(index)):
            # https://docs.pytorch.org/docs/stable/tensor_attributes.html: a bare index is of the current accelerator.
            # "Device index must not be negative": an index of -1 means that there is none.
            return Device("cuda", index) if index >= 0 else None
        case Text(prefix=prefix):
            return Device(prefix.partition(":")[0]) if ":" in prefix else Device()
        case Number() | Unknown():
            return Device()
        case _:
            return None


def device_named(text: str) -> Device:
    """Return the device of a device string."""
    kind, _, index = text.partition(":")
    return Device(kind, int(index) if index.isdecimal() else None)


def devices_of(possible: ValueSet) -> tuple[tuple[Device, Possibility], ...]:
    """Return the devices that an expression may name, each with the possibility that names it."""
    pairs = ((device_of(one.value), one) for one in possible)
    return tuple((device, one) for device, one in pairs if device is not None)


def tensor_device(possible: ValueSet) -> Device | None:
    """Return where something is after it is moved to what an expression names; None if that is open."""
    devices = {device for device, _ in devices_of(possible)}
    only = devices.pop() if len(devices) == 1 else None
    return only if only is not None and only.kind else None


def is_none(possible: ValueSet) -> bool:
    """Tell whether an expression surely names no device: a tensor is not moved, and a new one is made on the host."""
    return bool(possible) and all(one.value == Literal(None) for one in possible)


def is_read_off(one: Possibility) -> bool:
    """Tell whether a device is read from a tensor that may be anywhere: `next(net.parameters()).device`."""
    origin = one.origin.expression if one.origin is not None else None
    return isinstance(one.value, Device) and isinstance(origin, ast.Attribute) and origin.attr == "device"


def is_data_type(one: Possibility) -> bool:
    """Tell whether something is a name of PyTorch's that is no device: `torch.float16`, not `config.DEVICE`."""
    return isinstance(one.value, Imported) and one.value.name.startswith("torch.") and "cuda" not in one.value.name
