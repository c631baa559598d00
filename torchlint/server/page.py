"""The page of a rule as Markdown, for an editor to show beside the code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from torchlint.engine import NOTICES
from torchlint.explain.pages import on
from torchlint.manual import Entry, Subject, entry
from torchlint.programs import Program, programs
from torchlint.registry import installed_rules, renamed_rules


def page(name: str, *, programs_too: bool = True) -> str | None:
    """Return the page of a rule or a notice, or None for an unknown name."""
    found = _subjects().get(renamed_rules().get(name, name))
    return None if found is None else "\n\n".join(_sections(entry(found), programs_too=programs_too))


@cache
def _subjects() -> dict[str, Subject]:
    return {**installed_rules(), **{notice.name: notice for notice in NOTICES}}


def _sections(found: Entry, *, programs_too: bool) -> Iterator[str]:
    facts = (found.severity.value, f"{found.confidence.value} confidence", on(found), f"group `{found.group}`")
    yield f"**{found.name}**: {', '.join(facts)}"
    yield found.text
    if programs_too:
        for title, kind in (("Bad", "bad"), ("Good", "good")):
            for program in programs(found.name, kind)[:1]:
                yield f"### {title}"
                yield f"```python\n{_code(program)}\n```"
    if found.is_rule:
        yield f"To ignore it on a line: `# torchlint: ignore[{found.name}]`. More: `torchlint explain {found.name}`."


def _code(program: Program) -> str:
    """Return a program without the header lines about running it."""
    lines = program.text.strip().split("\n")
    return "\n".join(line for line in lines if not line.startswith("#:")).strip()
