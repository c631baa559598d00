"""Training through the module inside DistributedDataParallel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class BypassedWrapper(Rule):
    """Call the DistributedDataParallel wrapper, not the module inside it.

    The `forward` of the wrapper prepares the reduction of the gradients. After `ddp.module(x)` each rank silently steps
    with the gradients of its own batch, and the models on the ranks drift apart. Whatever training needs of the module
    belongs in its `forward`.

    Not reported:

    - calls that autograd does not record, as in evaluation
    - steps that also call the wrapper
    - programs that reduce the gradients themselves

    https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".module",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.bypasses import bypasses

        for bypass in bypasses(file.evaluator(torchlint.WITH_CUDA), file):
            yield self.finding(
                bypass.place,
                f"{quoted(bypass.place)} bypasses `{bypass.wrapping.word}`, so gradients are not reduced; "
                "call the wrapper",
                trace=(bypass.wrapping.place.step(f"wrapped in `{bypass.wrapping.word}` here"), *bypass.story),
                fix=_through(file.call_at(bypass.place)),
            )


def _through(call: Call | None) -> Fix | None:
    """`ddp.module(x)` → `ddp(x)`; none for a part of the module, which the wrapper does not have."""
    inside = call.callee if call is not None else None
    if inside is not None and inside.word == "forward":
        inside = inside.owner
    if call is None or inside is None or inside.word != "module" or inside.owner is None:
        return None
    return Fix(
        "Call the wrapper",
        (inside.owner.edits.end_with(call.callee),),
        safe=False,
        doubt="the wrapper runs its own hooks, and may move or split its inputs",
    )
