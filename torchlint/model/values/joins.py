"""Joins of value sets: what an expression may be whose value comes from several others, up to a limit."""

from __future__ import annotations

from itertools import chain, zip_longest

from torchlint.inference.limits import MOST_POSSIBILITIES
from torchlint.model.values.value_sets import CUT, UNKNOWN, Possibility, Unknown, ValueSet


def either(*groups: ValueSet) -> ValueSet:
    """Return the join of several value sets: all possibilities, each once, in order."""
    if len(groups) == 1 and len(groups[0]) <= 1:
        return groups[0]
    merged = tuple(dict.fromkeys(chain.from_iterable(groups)))
    return merged if len(merged) <= MOST_POSSIBILITIES else _cut(merged, merged)


def join_fairly(*groups: ValueSet) -> ValueSet:
    """Return the join of several value sets; if they are too many, some of each."""
    merged = tuple(dict.fromkeys(chain.from_iterable(groups)))
    in_turn = (one for turn in zip_longest(*groups) for one in turn if one is not None)
    return merged if len(merged) <= MOST_POSSIBILITIES else _cut(tuple(dict.fromkeys(in_turn)), merged)


def _cut(kept: ValueSet, merged: ValueSet) -> ValueSet:
    return (*kept[:MOST_POSSIBILITIES], *(UNKNOWN if any(map(is_open, merged)) else CUT))


def is_open(one: Possibility) -> bool:
    """Tell whether something may be anything, though it was evaluated."""
    return isinstance(one.value, Unknown) and not one.value.is_cut
