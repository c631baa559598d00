"""Families that are still above the limits, and what is asked too often there: no other family may be."""

from __future__ import annotations

KNOWN = {
    "compared": "16 tests about one name are asked of each of its possibilities, at each read",
    "kwargs-ring": "a ring of more than 100 functions is cut, and each of them asks again",
    "nested-whiles": "`lost_gradients` asks the tests inside each loop around a step",
    "state-machine": "each read climbs out through all arms before its own",
}
"""By family, what repeats."""
