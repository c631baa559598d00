"""CUDA events that cannot return the time between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Edit, Finding, SourceFile

    from .detectors.events import Unready


class UnreadyEvent(Rule):
    """Read the time between timing events after the GPU has reached them.

    `record()` queues an event behind the work and returns at once, and `start.elapsed_time(end)` does not wait: if the
    GPU has not reached `end`, it raises `Both events must be completed before calculating elapsed time`. How often that
    happens depends on the amount of work. Only events created with `enable_timing=True` record the time; for others the
    call raises `Both events must be created with argument 'enable_timing=True'`.

    Not reported:

    - functions in which anything may wait between the two calls: `synchronize` of the event, its stream or the device,
      `.item()`, a print of a tensor, a call of unknown code
    - events that are checked with `query()`
    - events that another function records

    https://docs.pytorch.org/docs/stable/generated/torch.cuda.Event.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("elapsed_time",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.events import unready_events

        for unready in unready_events(file.evaluator(torchlint.WITH_CUDA), file):
            yield self.finding(
                unready.place,
                f"{quoted(unready.place)} raises: {quoted(unready.event)} records no time; "
                "create it with `enable_timing=True`"
                if unready.is_untimed
                else f"{quoted(unready.place)} raises if the GPU has not reached {quoted(unready.event)}; "
                "call its `synchronize()` first",
                trace=(
                    unready.because_of.step("created without timing here" if unready.is_untimed else "recorded here"),
                ),
                fix=_fix(unready),
            )


def _fix(unready: Unready) -> Fix | None:
    """Return the fix that makes the host wait for an event, or an event record the time."""
    if unready.is_untimed:
        return None
    edit: Edit | None = unready.place.edits.line_before(f"{unready.event.text}.synchronize()")
    return Fix("Wait for the event", (edit,), safe=True) if edit is not None and unready.event.is_name else None
