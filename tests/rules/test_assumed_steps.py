"""What is said of a finding that follows from a step which nothing in view proves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.checkout import Checkout
from torchlint import Confidence, Finding, Rule, Severity, SourceFile


class Certain(Rule):
    """Report what is certain."""

    severity = Severity.ERROR
    confidence = Confidence.HIGH

    def check(self, _file: SourceFile) -> Iterator[Finding]:
        return iter(())


@pytest.mark.parametrize(
    ("is_assumed", "severity", "confidence"),
    [(False, Severity.ERROR, Confidence.HIGH), (True, Severity.WARNING, Confidence.MEDIUM)],
)
def test_what_is_assumed_is_no_error_of_high_confidence(
    program: Callable[[str], Checkout], severity: Severity, confidence: Confidence, *, is_assumed: bool
) -> None:
    place = program("loss.item()\n").place("loss.item()")

    found = Certain().finding(place, "`loss` is read", trace=(place.step("assumed", is_assumed=is_assumed),))

    assert (found.severity, found.confidence) == (severity, confidence)


@pytest.mark.parametrize("confidence", [Confidence.MEDIUM, Confidence.LOW])
def test_what_rests_on_a_guess_is_no_error(program: Callable[[str], Checkout], confidence: Confidence) -> None:
    place = program("loss.item()\n").place("loss.item()")

    found = Certain().finding(place, "`loss` is read", confidence=confidence)

    assert (found.severity, found.confidence) == (Severity.WARNING, confidence)
