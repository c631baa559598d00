"""Families that are still above the limits, and what is asked too often there: no other family may be."""

from __future__ import annotations

KNOWN = {
    "kwargs-ring": "a ring of more than 100 functions is cut, and what is cut is asked again in each of four worlds",
}
"""By family, what repeats."""
