"""A finding is known again although what is said of it is said in other words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.output.reports import plain_finding
from torchlint.finding import Span
from torchlint.output.fingerprint import Fingerprints


@pytest.mark.parametrize("lines", [("loss.item()",), ("",)])
def test_a_fingerprint_does_not_depend_on_the_message(lines: tuple[str, ...]) -> None:
    finding = plain_finding(Span(1, 1, 1, 1))

    known = Fingerprints().of(finding, "train.py", lines)

    assert Fingerprints().of(replace(finding, message="other words"), "train.py", lines) == known
