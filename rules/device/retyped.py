"""Replacements of CUDA's legacy tensor types: a type and a device each, if the arguments show which."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import torchlint
from torchlint import Fix

if TYPE_CHECKING:
    from torchlint import Call, DeviceNames, Edit, Place, SourceFile

_TYPES = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Byte": "uint8",
    "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Bool": "bool",
}  # fmt: skip

_OLD = re.compile(rf"torch\.({'|'.join(_TYPES)}|)Tensor")
_DOUBT = "the dtype is fixed, where another default may be set"


def retyped(place: Place, file: SourceFile, names: DeviceNames) -> Fix | None:
    """Return the fix for a use of a legacy type, or None if several places have to be fixed."""
    call = file.call_at(place.parent) if place.parent is not None else None
    kind = _type_of(place)
    if call is not None and kind and not call.is_open and not call.keywords:
        fix = _made(call, kind, names) if call.callee == place else _converted(call, kind, names)
        if fix is not None:
            return fix
    return _with_fallback(place)


def _type_of(place: Place) -> str:
    """Return the current name of the type: `int64` for `torch.cuda.LongTensor`."""
    prefix, _, word = place.text.strip("'\"").rpartition(".")
    # Those of `torch.cuda.sparse` are made of indices and values.
    return _TYPES.get(word.removesuffix("Tensor"), "") if prefix.endswith("cuda") else ""


def _converted(call: Call, kind: str, names: DeviceNames) -> Fix | None:
    """`x.type(torch.cuda.LongTensor)` → `x.to(device, torch.int64)`."""
    device, torch = names.at(call), call.named("torch")
    if call.method != "type" or len(call.arguments) != 1 or device is None or torch is None:
        return None
    edits = (call.callee.edits.rename("to"), call.arguments[0].edits.replace(f"{device[0]}, {torch[0]}.{kind}"))
    return Fix("Pass `dtype=` and `device=`", (*device[1], *torch[1], *edits), safe=False, doubt=_DOUBT)


def is_old(call: Call) -> bool:
    """Tell whether a call makes a tensor of a legacy type of the CPU, which takes no other device."""
    return any(_OLD.fullmatch(name) for name in call.callee.names)


def values_on(call: Call, device: str) -> tuple[Edit, ...]:
    """`torch.IntTensor([1, 2])` → `torch.tensor([1, 2], dtype=torch.int32, device=device)`; nothing for sizes.

    Nor for `torch.Tensor`, whose type is whatever is set as the default.
    """
    match = _OLD.fullmatch(min(call.callee.names, default=""))
    torch = call.named("torch")
    if match is None or not match[1] or torch is None or call.keywords or not call.arguments:
        return ()
    last = call.edits.last_argument(f"dtype={torch[0]}.{_TYPES[match[1]]}, device={device}")
    if last is None or not _holds_values(call.arguments):
        return ()
    return (*torch[1], call.callee.edits.replace(f"{torch[0]}.tensor"), last)


def _made(call: Call, kind: str, names: DeviceNames) -> Fix | None:
    """`torch.cuda.FloatTensor([1, 2])` → `torch.tensor([1, 2], dtype=torch.float32, device=device)`."""
    device, torch = names.at(call), call.named("torch")
    if device is None or torch is None or not call.arguments:
        return None
    # The legacy types make a tensor of values, or one of a size with uninitialized memory.
    maker = "tensor" if _holds_values(call.arguments) else "empty" if _are_sizes(call.arguments) else ""
    last = call.edits.last_argument(f"dtype={torch[0]}.{kind}, device={device[0]}") if maker else None
    if last is None:
        return None
    edits = (call.callee.edits.replace(f"{torch[0]}.{maker}"), last)
    return Fix("Pass `dtype=` and `device=`", (*device[1], *torch[1], *edits), safe=False, doubt=_DOUBT)


def _holds_values(arguments: tuple[Place, ...]) -> bool:
    values = [one.value for one in arguments[0].possibilities()]
    return (
        len(arguments) == 1
        and bool(values)
        and all(isinstance(value, (torchlint.Array, torchlint.Display)) for value in values)
    )


def _are_sizes(arguments: tuple[Place, ...]) -> bool:
    values = [[one.value for one in argument.possibilities()] for argument in arguments]
    return all(each and all(_is_number(value) for value in each) for each in values)


def _is_number(value: object) -> bool:
    return isinstance(value, torchlint.Number) or (
        isinstance(value, torchlint.Literal) and isinstance(value.value, int)
    )


def _with_fallback(place: Place) -> Fix | None:
    """`torch.cuda.FloatTensor` → that where there is CUDA, and else `torch.FloatTensor`."""
    torch = place.named("torch")
    if torch is None or not (place.is_name or place.is_constant) or ".cuda." not in place.text:
        return None
    host = place.text.replace(".cuda.", ".", 1)
    edits = place.edits.choose(f"{place.text} if {torch[0]}.cuda.is_available() else {host}")
    return Fix("Fall back to the CPU type", (*torch[1], *edits), safe=False, doubt=_DOUBT) if edits else None
