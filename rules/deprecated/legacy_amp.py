"""Mixed precision by the names of one kind of device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LegacyAmp(Rule):
    """Use mixed precision from `torch.amp`, and pass the device type.

    `autocast`, `GradScaler`, `custom_fwd` and `custom_bwd` of `torch.cuda.amp` and `torch.cpu.amp` are deprecated since
    PyTorch 2.4: each use warns, and a later release may remove them. Those of `torch.amp` do the same given the device
    type, and with `device.type` they work on any device. `torch.amp.autocast` takes its other arguments in a different
    order, so they are passed by name. The rule is off by default: nothing breaks yet.

    Not reported:

    - names in a `try` that handles their absence
    - code behind a test of the version
    - anything if `target-torch` is older than the replacement

    https://docs.pytorch.org/docs/stable/amp.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    default = False
    words = ("cuda.amp", "cuda import amp", "cpu.amp", "cpu import amp")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from ..device.detectors.hardcoded import cuda_demands
        from .detectors.legacy_amp import edits_of, legacy_amp

        ev = file.evaluator()
        uses = list(legacy_amp(ev, file))
        # A program that runs without CUDA, too, is not to be tied to it.
        is_any_device = bool(uses) and not any(True for _ in cuda_demands(file.evaluator(torchlint.WITHOUT_CUDA), file))
        for use in uses:
            edits = edits_of(ev, use)
            yield self.finding(
                use.place,
                f"{quoted(use.place)} is deprecated since PyTorch 2.4 and warns; use"
                f" {use.said_instead(is_any_device=is_any_device)}",
                fix=Fix("Use `torch.amp`", edits, safe=True) if edits else None,
            )
