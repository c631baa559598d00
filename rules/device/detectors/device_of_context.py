"""The device that a `torch.cuda.device` was meant to be."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from torchlint.edits.call_changes import argument, with_first
from torchlint.finding import Fix
from torchlint.model.values.value_sets import Literal, Number, Text
from torchlint.pytorch.symbols import CUDA_CONTEXT, DEVICE

if TYPE_CHECKING:
    import libcst as cst

    from torchlint.model.calls import Call


def device_instead(call: Call) -> Fix | None:
    """`torch.cuda.device(0)` → `torch.device("cuda", 0)`; a string has the kind itself."""
    name = call.named(DEVICE)
    if name is None or call.is_open or call.keywords or len(call.arguments) != 1:
        return None
    if CUDA_CONTEXT not in call.callee.names:
        return None
    values = [one.value for one in call.arguments[0].possibilities()]
    has_kind = bool(values) and all(isinstance(value, Text) or _is_text(value) for value in values)
    kind = "" if has_kind else f"{call.file.quote}cuda{call.file.quote}"
    edits = call.edits.change(partial(_device, name=name[0], kind=kind))
    is_sure = all(isinstance(value, (Literal, Number, Text)) for value in values)
    doubt = "" if is_sure else "its argument may be neither a number nor a string"
    return Fix("Use `torch.device`", (*name[1], *edits), safe=is_sure, doubt=doubt) if edits else None


def _device(call: cst.CSTNode, name: str, kind: str) -> cst.CSTNode:
    import libcst as cst

    assert isinstance(call, cst.Call)
    found = with_first(call, argument(kind), call.args) if kind else call
    return found.with_changes(func=cst.parse_expression(name))


def _is_text(value: object) -> bool:
    return isinstance(value, Literal) and isinstance(value.value, str)
