"""`torchlint explain` and `torchlint rules`."""

from __future__ import annotations

from torchlint.cli.streams import write
from torchlint.cli.terminal import wants_color
from torchlint.explain import listing, page
from torchlint.manual import Subject


def explain(rule: str, *, color: bool | None) -> int:
    """Show the page of a rule, with what is on record of its claim."""
    from torchlint.verify.evidence import evidence_of

    evidence = evidence_of(rule)
    words = evidence.words if evidence else ""
    write([page(rule, _subjects(), color=wants_color(color), evidence=words)])
    return 0


def rules(form: str, *, color: bool | None) -> int:
    """Show the list of all rules."""
    write([listing(_subjects(), form, color=wants_color(color))])
    return 0


def _subjects() -> tuple[Subject, ...]:
    """Return all that has a page: the rules, and what the engine reports by itself."""
    from torchlint.engine import NOTICES
    from torchlint.registry import builtin_rules

    return (*builtin_rules().values(), *NOTICES)
