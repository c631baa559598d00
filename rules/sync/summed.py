"""Fixes that add up a number on the device instead of reading it at every step, and read it once after the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torchlint
from torchlint import Fix

if TYPE_CHECKING:
    from torchlint import Call, Edit, Place, SourceFile


def read_after(file: SourceFile, place: Place, tensor: Place) -> Fix | None:
    """`total += loss.item()` → `total += loss.detach()`, and the sum is converted to a number where it is read."""
    from .detectors.sums import running_sum

    total, call = running_sum(place, tensor), file.call_at(place)
    if total is None or not total.number or call is None or not tensor.is_tensor:
        return None
    # A loop over the parts of a batch runs once a step, too.
    if file.every_step(total.loop) is not None:
        return None
    kept = _unread(call, tensor)
    if kept is None:
        return None
    if len(total.reads) == 1 and not total.reads[0].is_in_text:
        read: Edit | None = total.reads[0].edits.replace(f"{total.number}({total.name})")
    else:
        read = total.loop.edits.line_after(f"{total.name} = {total.number}({total.name})")
    return (
        Fix(
            "Accumulate on the device, and read the sum once",
            (kept, read),
            safe=False,
            doubt="the sum is a tensor until it is read, also where code prints it before",
        )
        if read
        else None
    )


def _unread(call: Call, tensor: Place) -> Edit | None:
    """Return the edit that replaces `tensor.item()` or `float(tensor)` by the tensor without its graph."""
    values = [one.value for one in tensor.possibilities()]
    words = ".detach()" if any(isinstance(one, torchlint.Tensor) and one.graph is not False for one in values) else ""
    if call.keywords or call.is_open:
        return None
    if call.method == "item" and not call.arguments:
        return call.callee.edits.without_word(call, words)
    is_conversion = call.text.startswith("float(") and len(call.arguments) == 1 and tensor.is_name
    return call.edits.replace(f"{tensor.text}{words}") if is_conversion else None
