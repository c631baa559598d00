"""Families that are still above the limits, and what is asked too often there: no other family may be."""

from __future__ import annotations

KNOWN = {
    "kwargs-ring": "a ring of more than 100 functions is cut, and what is cut is asked again in each of four worlds",
    "nested-calls": "each level is looked at from all above it; Python reads no more than some 90 levels, 0.1 M steps",
    "nested-lambdas": "as nested-calls, 0.06 M steps",
}
"""By family, what repeats."""
