"""Numbers of 64 bits for a device that has none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.doubles_on_mps import SentDouble


class DoubleOnMps(Rule):
    """Convert doubles to `float32` before they are sent to MPS.

    MPS, the GPU of a Mac, has no `float64`: `.to("mps")` raises `TypeError: Cannot convert a MPS Tensor to float64
    dtype`, whatever is converted afterwards. NumPy makes doubles wherever no `dtype` is given, and a `DataLoader` makes
    them of the floats of Python. On CUDA and on the CPU the same program runs, and computes with 64 bits.

    Not reported:

    - arrays whose type is not known, such as those that are loaded from a file
    - samples that a `collate_fn` puts together
    - code behind a test for MPS, and in a `try`

    https://docs.pytorch.org/docs/stable/notes/mps.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".to(", "device=")
    project_words = ("mps",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.doubles_on_mps import doubles_on_mps

        for found in doubles_on_mps(file.evaluator(), file):
            yield self.finding(
                found.call,
                f"{quoted(found.call)} raises on MPS, which has no `float64`; convert {quoted(found.tensor)} first",
                trace=(found.chosen.step("the device may be MPS here"),),
                fix=_converted(found),
            )


def _converted(found: SentDouble) -> Fix | None:
    if not found.is_moved:
        return None
    doubt = "what is computed of it has 32 bits then"
    return Fix("Convert to `float32` before", found.tensor.edits.append(".float()"), safe=False, doubt=doubt)
