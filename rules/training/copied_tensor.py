"""Tensors that are made of tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class CopiedTensor(Rule):
    """Use a tensor as it is, or say that it is copied and detached.

    `torch.tensor(x)` is for numbers, lists and arrays. Of a tensor it makes a copy without its graph, with the warning
    `To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone()`: what is trained through
    it gets no gradient, and memory is copied that need not be. A list of tensors it reads number by number, each of
    which waits for the GPU, and loses all graphs without a warning; `torch.stack` puts them together where they are.

    `x.detach().clone()` says what is meant, `x.to(dtype)` converts, and `torch.as_tensor(x)` takes whatever comes.
    Left alone is what may be no tensor by some caller, what a test on the way asks about, and a list of numbers
    without graphs that were computed one by one.

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
                message = "reads tensors number by number, and drops their graphs: use `torch.stack`"
                fix = _stacked(call)
            else:
                message = "copies a tensor, drops its graph and warns: use it, or `.detach().clone()`"
                fix = _cloned(call, copied.data)
            yield self.finding(call, message, fix=fix)


def _stacked(call: Call) -> Fix | None:
    name = call.named("torch.stack")
    if name is None or call.keywords or call.is_open:
        return None
    doubt = "the result keeps the graphs and the type of what is stacked"
    return Fix("Stack them", (*name[1], call.callee.edits.replace(name[0])), safe=False, doubt=doubt)


def _cloned(call: Call, data: Place) -> Fix | None:
    if call.keywords or call.is_open or len(call.arguments) != 1 or "\n" in call.text or not data.is_name:
        return None
    return Fix("Say what is done", (call.edits.replace(f"{data.text}.detach().clone()"),), safe=True)
