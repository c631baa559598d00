"""Mixed precision by the names of one kind of device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LegacyAmp(Rule):
    """Take mixed precision from `torch.amp`, and tell it the kind of device.

    `autocast`, `GradScaler`, `custom_fwd` and `custom_bwd` of `torch.cuda.amp`, and those of `torch.cpu.amp`, are
    deprecated since PyTorch 2.4: each use warns, which fills the log of whoever runs the program, and a later release
    may drop them. Those of `torch.amp` do the same once they are told the kind of device, and with `device.type` they
    serve any; `autocast` takes its other arguments in another order there, so that they are passed by name.

    Left alone are names in a `try` that catches it where they are gone, those behind a test of the version, and all
    where `target-torch` is older than what stands for them. Off by default: nothing breaks yet.

    https://docs.pytorch.org/docs/stable/amp.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    default = False
    words = ("cuda.amp", "cuda import amp", "cpu.amp", "cpu import amp")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.legacy_amp import edits_of, legacy_amp

        ev = file.evaluator()
        for use in legacy_amp(ev, file):
            edits = edits_of(ev, use)
            yield self.finding(
                use.place,
                f"is deprecated since PyTorch 2.4, and warns: use `{use.said_instead}`",
                fix=Fix("Take it from `torch.amp`", edits, safe=True) if edits else None,
            )
