"""A tensor's copy that nobody takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DiscardedMove(Rule):
    """Assign what `.to()` returns; a tensor stays where and what it was.

    `x.to(device)`, `.cuda()`, `.cpu()`, `.float()`, `.pin_memory()` and the like make a new tensor, and `.detach()` a
    new view. As a statement of its own the call does nothing but cost time: the tensor stays on the CPU and meets the
    model with `Expected all tensors to be on the same device`, or keeps its type or its graph and raises nothing at
    all.

    Left alone are modules, which move in place, whatever may be something else than a tensor (batches of tokenizers
    and of graphs move in place as well), calls that are expected to raise, and tensors that nobody reads afterwards,
    as in a benchmark.

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
            # Where nobody reads the name again, something else is to be assigned to.
            is_name = owner is not None and owner.is_name and owner.is_read_below
            edit = call.edits.before(f"{owner.text} = ") if owner is not None and is_name else None
            yield self.finding(
                call,
                f"leaves the tensor as it was: `.{call.method}()` returns another one, so assign it",
                fix=Fix(
                    "Assign what is returned",
                    (edit,),
                    safe=False,
                    doubt="other names for the tensor still mean the one that was not moved",
                )
                if edit
                else None,
            )
