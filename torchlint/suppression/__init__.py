"""Comments that suppress findings: `# torchlint: ignore[…]` and `# noqa`."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.finding import Finding

__all__ = ["suppress"]


def suppress(
    path: str,
    text: str,
    findings: Sequence[Finding],
    known: Collection[str],
    ran: Container[str],
    renamed: Mapping[str, str] | None = None,
) -> tuple[tuple[Finding, ...], int]:
    """Return the findings that remain, with those of comments that ignore nothing, and how many were suppressed.

    `known` are the names that a comment may contain, rules and groups; those in `ran` were run completely. `renamed`
    maps former names of rules to the current ones.
    """
    lowered = text.lower()
    if "torchlint" not in lowered and not (findings and "noqa" in lowered):
        return tuple(findings), 0
    from torchlint.suppression.silences import held_against

    return held_against(path, text, findings, known, ran, renamed or {})
