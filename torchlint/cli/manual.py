"""`torchlint explain` and `torchlint rules`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from torchlint.explain import explained, listing, page
from torchlint.terminal.capabilities import wants_color, width
from torchlint.terminal.streams import tell, write

if TYPE_CHECKING:
    from torchlint.explain.pages import Page
    from torchlint.manual import Subject


def explain(names: Sequence[str], form: str, *, every: bool, color: bool | None) -> int:
    """Show the pages of rules, each with the evidence of its claim."""
    if every == bool(names):
        raise click.UsageError("name rules to explain, or say --all")
    chosen = sorted(subject.name for subject in _subjects()) if every else _present(names)
    pages = [*map(_page, chosen)]
    write([explained(pages, form, color=wants_color(color), width=width())])
    return 0


def rules(form: str, *, color: bool | None) -> int:
    """Show the list of all rules."""
    write([listing(_subjects(), form, color=wants_color(color), width=width())])
    return 0


def _present(names: Sequence[str]) -> Sequence[str]:
    """Return current names, each once; to know former names, all rules are imported."""
    from torchlint.registry import builtin_rule
    from torchlint.selection import present_names

    if not all(map(builtin_rule, names)):
        names = present_names(names, "the command line", lambda words: tell(f"note: {words}"))
    return [*dict.fromkeys(names)]


def _page(name: str) -> Page:
    from torchlint.registry import builtin_rule
    from torchlint.verify.evidence import evidence_of

    evidence, rule = evidence_of(name), builtin_rule(name)
    return page(name, (rule,) if rule else _subjects(), evidence.words if evidence else "")


def _subjects() -> tuple[Subject, ...]:
    """Return all that has a page: the rules, and the engine's own findings."""
    from torchlint.engine import NOTICES
    from torchlint.registry import installed_rules

    return (*installed_rules().values(), *NOTICES)
