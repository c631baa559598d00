"""Whether this version of torchlint is one that a configuration requires."""

from __future__ import annotations

import re

from torchlint import __version__

_CLAUSE = re.compile(r"\s*(>=|<=|==|!=|<|>|)\s*(\d{1,6}(?:\.\d{1,6})*)\s*")
_RELEASE = re.compile(r"\d+(?:\.\d+)*")


def objection(wanted: str, running: str = __version__) -> str:
    """Return why a version does not match `>=0.1,<2` or `0.1`; empty if it does."""
    clauses = [_CLAUSE.fullmatch(clause) for clause in wanted.split(",")]
    if not all(clauses):
        return f'must be versions of torchlint such as ">=0.1", got "{wanted}"'
    if all(_holds(clause[1], clause[2], running) for clause in clauses if clause):
        return ""
    return f"asks for torchlint {wanted}, and this is {running}"


def _holds(relation: str, wanted: str, running: str) -> bool:
    release = _RELEASE.match(running)
    own, other = _padded(release[0] if release else "0"), _padded(wanted)
    match relation:
        case ">=":
            return own >= other
        case "<=":
            return own <= other
        case ">":
            return own > other
        case "<":
            return own < other
        case "!=":
            return own != other
        case _:
            return own == other


def _padded(version: str) -> list[int]:
    parts = [int(part) for part in version.split(".")]
    return parts + [0] * (4 - len(parts))
