"""Calls of `.to` that only change the type of a tensor, and not its device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.devices.literals import is_data_type

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.place import Place


def is_retyped(call: Call) -> bool:
    """Tell whether `.to(…)` only changes the type: `.to(torch.float32)`, `.to(dtype=…)`, `.to(dtype)`."""
    if call.method != "to" or call.is_open or len(call.arguments) + len(call.keywords) != 1:
        return False
    if "dtype" in call.keywords:
        return True
    given = call.argument("", 0)
    return given is not None and (given.word.endswith("dtype") or _is_data_type(given))


def _is_data_type(given: Place) -> bool:
    possible = given.possibilities()
    return bool(possible) and all(is_data_type(one) for one in possible)
