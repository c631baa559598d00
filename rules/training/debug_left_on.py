"""Debugging features that are left on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

# What it does, and what is no longer reported without it.
_SAYS = {
    "anomalies": (
        "makes every step several times slower; remove it, or enable it by an option",
        "a run that computes NaN goes on instead of raising",
    ),
    "launches": (
        "makes the host wait for every kernel; remove it, and set it in the shell to debug",
        "errors of kernels are raised later, at another line",
    ),
}


class DebugLeftOn(Rule):
    """Let an option enable what is for debugging.

    Anomaly detection makes autograd store a stack trace for each operation of the forward pass, and look for NaN in
    each gradient of the backward pass. Measured with torch 2.13 on a CPU, a step takes twice as long if large
    convolutions dominate it, and seven to ten times as long with small layers or a transformer. On a GPU each check
    also waits for the GPU. With `CUDA_LAUNCH_BLOCKING=1` the host waits for every kernel, and cannot prepare the next
    one in the meantime.

    Not reported:

    - switches behind an option, a flag or any other test, here or in all callers
    - switches that are turned off again
    - tests, and code that says that it debugs
    - `CUDA_LAUNCH_BLOCKING` that the shell may override, that belongs to deterministic runs, or in a program that hides
      all GPUs

    https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection,
    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("detect_anomaly", "CUDA_LAUNCH_BLOCKING")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.debug_switches import debug_switches

        for switch in debug_switches(file.evaluator(), file):
            message, doubt = _SAYS[switch.how]
            edits = switch.place.edits.remove(is_assigned=True) if switch.is_statement else ()
            fix = Fix("Remove it", edits, safe=False, doubt=doubt) if edits else None
            yield self.finding(switch.place, f"{quoted(switch.place)} {message}", trace=switch.story, fix=fix)
