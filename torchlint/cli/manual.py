"""`torchlint explain` and `torchlint rules`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from torchlint.cli.streams import tell, write
from torchlint.cli.terminal import wants_color, width
from torchlint.explain import Page, explained, listing, page
from torchlint.manual import Subject
from torchlint.selection import present_names


def explain(names: Sequence[str], form: str, *, every: bool, color: bool | None) -> int:
    """Show the pages of rules, each with what is on record of its claim."""
    if every == bool(names):
        raise click.UsageError("name rules to explain, or say --all")
    subjects = _subjects()
    now = present_names(names, "the command line", lambda words: tell(f"note: {words}"))
    chosen = sorted(subject.name for subject in subjects) if every else dict.fromkeys(now)
    pages = [_page(name, subjects) for name in chosen]
    write([explained(pages, form, color=wants_color(color), width=width())])
    return 0


def rules(form: str, *, color: bool | None) -> int:
    """Show the list of all rules."""
    write([listing(_subjects(), form, color=wants_color(color), width=width())])
    return 0


def _page(name: str, subjects: Sequence[Subject]) -> Page:
    from torchlint.verify.evidence import evidence_of

    evidence = evidence_of(name)
    return page(name, subjects, evidence.words if evidence else "")


def _subjects() -> tuple[Subject, ...]:
    """Return all that has a page: the rules, and what the engine reports by itself."""
    from torchlint.engine import NOTICES
    from torchlint.registry import installed_rules

    return (*installed_rules().values(), *NOTICES)
