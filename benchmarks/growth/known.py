"""Families that are still above the limits, and what is asked too often there: no other family may be."""

from __future__ import annotations

KNOWN: dict[str, str] = {}
"""By family, what repeats."""
