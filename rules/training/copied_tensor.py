"""Tensors that are made from tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class CopiedTensor(Rule):
    """Use a tensor as it is, or copy it with `.detach().clone()`.

    `torch.tensor(x)` is meant for numbers, lists and arrays. For a tensor it returns a copy without its graph, and
    warns `To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()`: what is trained
    through it gets no gradient, and the copy may not be needed. A list of tensors is read one number at a time, each of
    which waits for the GPU, and loses all graphs without a warning; `torch.stack` combines them on the device.
    `x.to(dtype)` converts, and `torch.as_tensor(x)` accepts both.

    Not reported:

    - values that a caller may pass as something other than a tensor
    - values whose type is tested
    - a list of numbers without graphs that were computed one by one

    https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("tensor",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.copied import copied_tensors

        for copied in copied_tensors(file.evaluator(), file):
            call = copied.place
            if copied.is_list:
                message = "reads tensors one number at a time and drops their graphs; use `torch.stack`"
                fix = _stacked(call)
            else:
                cure = f"{copied.data.code}.detach().clone()" if copied.data.is_name else ".detach().clone()"
                message = f"copies a tensor, drops its graph and warns; use {quoted(cure)}"
                fix = _cloned(call, copied.data)
            yield self.finding(call, f"{quoted(call)} {message}", fix=fix)


def _stacked(call: Call) -> Fix | None:
    name = call.named("torch.stack")
    if name is None or call.keywords or call.is_open:
        return None
    doubt = "the result keeps the graphs and the dtype of the tensors"
    return Fix("Use `torch.stack`", (*name[1], call.callee.edits.replace(name[0])), safe=False, doubt=doubt)


def _cloned(call: Call, data: Place) -> Fix | None:
    if call.keywords or call.is_open or len(call.arguments) != 1 or "\n" in call.text or not data.is_name:
        return None
    return Fix("Use `.detach().clone()`", (call.edits.replace(f"{data.text}.detach().clone()"),), safe=True)
