"""Sort findings by importance, for readers who see only the first of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from torchlint.finding import Confidence, Finding, Severity

_GRAVITY = {severity: rank for rank, severity in enumerate(Severity)}
_SURENESS = {confidence: rank for rank, confidence in enumerate(Confidence)}


def gravity(severity: Severity) -> int:
    """Return the rank of a severity: the less, the graver."""
    return _GRAVITY[severity]


def sureness(confidence: Confidence) -> int:
    """Return the rank of a confidence: the less, the surer."""
    return _SURENESS[confidence]


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings by falling severity, then by falling confidence, then by position."""
    return sorted(findings, key=lambda found: (gravity(found.severity), sureness(found.confidence), found.order))


def parted(
    findings: Iterable[Finding], kind: Callable[[Finding], str], room: int
) -> tuple[list[Finding], list[Finding]]:
    """Return the findings that fit, so many of each kind, and the others; both in their order."""
    shown: list[Finding] = []
    others: list[Finding] = []
    seen: Counter[str] = Counter()
    for finding in findings:
        (shown if seen[kind(finding)] < room else others).append(finding)
        seen[kind(finding)] += 1
    return shown, others
