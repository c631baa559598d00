"""Families that are still above the limits, and what is asked too often there: no other family may be."""

from __future__ import annotations

KNOWN = {
    "compared": "a chain of more than 50 tests is cut, and each read comes to all definitions, of which 40 are asked",
    "kwargs-ring": "a ring of more than 100 functions is cut, and each of them asks again",
    "state-machine": "a chain of more than 50 states is cut, and each read climbs out through all arms before its own",
}
"""By family, what repeats."""
