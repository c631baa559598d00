"""A tensor's copy that is not used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DiscardedMove(Rule):
    """Assign what `.to()` returns: it does not change the tensor in place.

    `x.to(device)`, `.cuda()`, `.cpu()`, `.float()` and `.pin_memory()` return a new tensor, and `.detach()` a new view.
    As a statement of its own the call only costs time: the tensor stays on the CPU and the model raises `Expected all
    tensors to be on the same device`, or it keeps its dtype or its graph and nothing raises at all.

    Not reported:

    - modules, which are moved in place
    - objects that may not be tensors: batches of tokenizers and of graphs are moved in place, too
    - calls that are expected to raise
    - tensors that are not read afterwards, as in a benchmark

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (
        ".to(", ".cuda(", ".cpu(", ".float(", ".half(", ".double(", ".long(", ".int(", ".bool(", ".detach(",
        ".pin_memory(",
    )  # fmt: skip

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for call in file.discarded_copies():
            owner = call.owner if call.is_statement else None
            # If the name is not read again, the copy should be assigned to something else.
            is_name = owner is not None and owner.is_name and owner.is_read_below
            edit = call.edits.before(f"{owner.text} = ") if owner is not None and is_name else None
            yield self.finding(
                call,
                f"{quoted(call)} returns a tensor that is discarded, and leaves the original unchanged; "
                "assign the result",
                fix=Fix(
                    "Assign the result",
                    (edit,),
                    safe=False,
                    doubt="other names still refer to the original tensor",
                )
                if edit
                else None,
            )
