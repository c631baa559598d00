"""What is for debugging, left on when nobody debugs any more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

# What it does, and what nobody is told any more without it.
_SAYS = {
    "anomalies": (
        "slows each step down several times: leave it out, or let an option turn it on",
        "a run that computes NaN goes on instead of raising",
    ),
    "launches": (
        "has the host wait for each kernel: leave it out, and set it in the shell when you debug",
        "errors of kernels are told later, at another line",
    ),
}


class DebugLeftOn(Rule):
    """Let an option turn on what is for debugging.

    Anomaly detection has autograd note the stack at each operation of the forward, and look for NaN in each gradient of
    the backward: measured with torch 2.13 on a CPU, a step takes twice as long where large convolutions are most of it,
    and seven to ten times as long with small layers or a transformer. On a GPU each of these looks waits for it
    besides. With `CUDA_LAUNCH_BLOCKING=1` the host waits for each kernel, and so prepares none while another one runs.
    Both find a mistake, and are of no use once that is mended.

    Left alone is what somebody chooses, by an option, a flag or any other test, here or in all callers; what is turned
    off again; tests, and what says that it debugs; and `CUDA_LAUNCH_BLOCKING` where the shell may say otherwise, beside
    what has a run repeat exactly, and where the program leaves itself no GPU.

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
            fix = Fix("Leave it out", edits, safe=False, doubt=doubt) if edits else None
            yield self.finding(switch.place, message, trace=switch.story, fix=fix)
