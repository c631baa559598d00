"""A tensor read on one CUDA stream while another still computes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class StreamWithoutWait(Rule):
    """Let a stream wait for the one that computes what it reads.

    Work on one stream runs in order; two streams are not ordered. A tensor that is read under `torch.cuda.stream(s)`
    may not be computed yet, and neither may one that was computed there and is read on the default stream afterwards.
    The result is sometimes wrong, and no error says so.

    Not reported:

    - functions that order their streams between the two places: `wait_stream`, events, `synchronize`, `record_stream`,
      or a read on the host that waits
    - tensors on the host
    - parameters of functions, whose order the caller defines

    https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-streams
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("cuda.stream", "StreamContext", "stream(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.streams import unordered_crossings

        for crossing in unordered_crossings(file.evaluator(), file):
            yield self.finding(
                crossing.read,
                f"{quoted(crossing.read)} is read while another stream may still compute it; "
                "call `wait_stream()` first",
                trace=(crossing.made.step("computed here, on another stream"),),
                fix=_waiting(crossing.read, crossing.reading, crossing.making),
            )


def _waiting(read: Place, reading: Place | None, making: Place | None) -> Fix | None:
    """Return the fix that makes one stream wait for another before it reads; None is the default one."""
    torch = read.named("torch")
    if torch is None or not all(stream.is_name for stream in (reading, making) if stream is not None):
        return None
    default = f"{torch[0]}.cuda.current_stream()"
    waiting, waited = (stream.text if stream is not None else default for stream in (reading, making))
    # A stream waits before its block begins, for there the default one is still the current one.
    line = (reading or read).edits.line_before(f"{waiting}.wait_stream({waited})")
    return (
        Fix(
            "Wait for the other stream",
            (*torch[1], line),
            safe=False,
            doubt="it waits for all work queued on the other stream so far",
        )
        if line
        else None
    )
