"""Which rules a run of a program can confirm: those whose own bad programs make a claim of that kind."""

from __future__ import annotations

from functools import cache

from torchlint.verify.claims import BreaksGraph, Claim, Waits
from torchlint.verify.fixtures import pairs_of, rules_with_fixtures


@cache
def rules_claiming(kind: type[Claim]) -> frozenset[str]:
    """Return the rules with a bad program that makes a claim of one kind."""
    return frozenset(
        rule for rule in rules_with_fixtures() if any(isinstance(pair.bad.head.claim, kind) for pair in pairs_of(rule))
    )


def rules_of_runs() -> tuple[str, ...]:
    """Return the rules that a run of a user's program can confirm, on by default or not."""
    return tuple(sorted(rules_claiming(Waits) | rules_claiming(BreaksGraph)))
