"""Tensors that are read before what another process sends has arrived in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnawaitedCommunication(Rule):
    """Wait for the work of an asynchronous communication before reading its tensor.

    `irecv`, and a collective with `async_op=True`, return at once, while the tensor is still to be written. They return
    a work object, whose `wait()` returns when the tensor may be read: with gloo it waits for the data, with NCCL it
    makes the current stream wait for the one that communicates. Without it the program computes with the old values of
    the tensor, with a part of the new ones, or with all of them, depending on the network.

    Not reported:

    - reads of the shape, the device, or the dtype of the tensor
    - work objects that are put into a list, returned, or passed on before the tensor is read
    - reads below a `barrier` or `torch.cuda.synchronize()`

    https://docs.pytorch.org/docs/stable/distributed.html#synchronous-and-asynchronous-collective-operations
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("irecv", "async_op")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.unawaited import unawaited_communications

        for found in unawaited_communications(file.evaluator(), file):
            advice = f"call `{found.work}.wait()` first" if found.work else "keep its work, and wait for that first"
            yield self.finding(
                found.call,
                f"{quoted(found.call)} may still be writing {quoted(found.written)} when that is read; {advice}",
                trace=(found.read.step(f"{quoted(found.written)} is read here"),),
            )
