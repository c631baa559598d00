"""Tensors that are read before what another process sends has arrived in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile, Step

    from .detectors.sending import Unsent


class UnawaitedCommunication(Rule):
    """Wait for the work of an asynchronous communication before using its tensor.

    `irecv`, and a collective with `async_op=True`, return at once, while the tensor is still to be written. They return
    a work object, whose `wait()` returns when the tensor may be read: with gloo it waits for the data, with NCCL it
    makes the current stream wait for the one that communicates. Without it the program computes with the old values of
    the tensor, with a part of the new ones, or with all of them, depending on the network.

    `isend` returns at once, too: a change of its tensor before `wait()` may be what is sent. With gloo, a send whose
    work is freed before the other process receives is never sent, and that process waits until it times out.

    Not reported:

    - reads of the shape, the device, or the dtype of the tensor
    - work objects that are put into a list, returned, or passed on before the tensor is read
    - reads below a `barrier` or `torch.cuda.synchronize()`
    - sends whose work is dropped with another backend than gloo, or with one that is not known

    https://docs.pytorch.org/docs/stable/distributed.html#synchronous-and-asynchronous-collective-operations
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("irecv", "isend", "async_op")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.sending import unsent_tensors
        from .detectors.unawaited import unawaited_communications

        for found in unawaited_communications(file.evaluator(), file):
            yield self.finding(
                found.call,
                f"{quoted(found.call)} may still be writing {quoted(found.written)} when that is read;"
                f" {_advice(found.work)}",
                trace=(found.read.step(f"{quoted(found.written)} is read here"),),
            )
        for sending in unsent_tensors(file.evaluator(), file):
            yield self.finding(sending.call, f"{quoted(sending.call)} {_lost(sending)}", trace=_trace(sending))


def _advice(work: str) -> str:
    return f"call `{work}.wait()` first" if work else "keep its work, and wait for that first"


def _lost(sending: Unsent) -> str:
    if sending.changed is not None:
        return f"may still be sending {quoted(sending.sent)} when that is changed; {_advice(sending.work)}"
    return (
        "sends nothing once its work is freed, unless the other process is already receiving;"
        " keep the work, and wait for it"
    )


def _trace(sending: Unsent) -> tuple[Step, ...]:
    if sending.changed is not None:
        return (sending.changed.step(f"{quoted(sending.sent)} is changed here"),)
    return (sending.group.step("the process group of gloo is created here"),) if sending.group is not None else ()
