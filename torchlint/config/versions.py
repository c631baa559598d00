"""The oldest torch that a requirement lets in."""

from __future__ import annotations

import re

# `torch>=2.1`, `torch[opt] (>=2.1)`; conda's `pytorch::pytorch=2.1`, `pytorch 2.1.*`; but not `torchvision`.
_TORCH = re.compile(
    r"\s*(?:[\w.-]+::)?(?:py)?torch\s*(?:\[[^\]]*\]\s*)?(?:\(\s*)?(?P<versions>(?:[<>=!~^].*|(?<=\s)\d.*)?)",
    re.IGNORECASE,
)
_REST = re.compile(r"[;#)@].*", re.DOTALL)
_FROM = re.compile(r"\s*(?:>=|>|===?|=|~=|~|\^|)\s*v?(\d{1,4})(?:\.(\d{1,4}))?")


def lower_bound(requirement: str) -> tuple[int, int] | None:
    """Return the oldest torch that a requirement lets in; None for one of something else, or of any torch."""
    found = _TORCH.fullmatch(_REST.sub("", requirement).strip())
    return oldest(found["versions"]) if found else None


def oldest(versions: str) -> tuple[int, int] | None:
    """Return the oldest version that `>=2.1,<3`, `^2.1` or `1.13 || ^2` lets in, None where there is none."""
    bounds = [_least(alternative) for alternative in versions.split("||")]
    known = [bound for bound in bounds if bound is not None]
    return min(known) if len(known) == len(bounds) else None


def _least(versions: str) -> tuple[int, int] | None:
    bounds = (_FROM.match(clause) for clause in versions.split(","))
    return max(((int(bound[1]), int(bound[2] or 0)) for bound in bounds if bound), default=None)
