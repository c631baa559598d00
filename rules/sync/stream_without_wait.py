"""A tensor read on one CUDA stream while another still computes it."""

from __future__ import annotations

from collections.abc import Iterator

from torchlint import Confidence, Finding, Rule, Severity, SourceFile


class StreamWithoutWait(Rule):
    """Let a stream wait for the one that computes what it reads.

    Work on one stream runs in order; two streams know nothing of each other. What is read under
    `torch.cuda.stream(s)` may not be computed yet, and the same holds for what was computed there and is read on the
    default stream afterwards. The result is wrong now and then, and no error says so.

    Left alone are functions that order their streams in any way between the two places: `wait_stream`, events,
    `synchronize`, `record_stream`, or a read on the host that waits. Tensors on the host are left alone as well, and
    parameters, whose order is the caller's.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-streams
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("cuda.stream", "StreamContext", "stream(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for crossing in file.unordered_crossings():
            yield self.finding(
                crossing.read,
                "may not be computed yet: let this stream wait for the other with `wait_stream` first",
                trace=(crossing.made.step("computed here, on another stream"),),
            )
