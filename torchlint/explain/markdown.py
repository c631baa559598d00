"""The manual as Markdown, for documents and for the site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from torchlint.explain.pages import Page, on
from torchlint.manual import Entry
from torchlint.programs import Program


def page_as_markdown(page: Page) -> str:
    """Return a page."""
    return "\n\n".join([f"# {page.entry.name}", opening(page), *_sections(page)]) + "\n"


def list_as_markdown(entries: Sequence[Entry]) -> str:
    """Return a table for each group."""
    tables: list[str] = []
    for group, members in groupby(entries, key=lambda found: found.group):
        rows = "".join(f"{_row(found)}\n" for found in members)
        tables.append(f"## {group}\n\n| rule | what to do | severity | confidence | |\n|---|---|---|---|---|\n{rows}")
    return "\n".join(tables)


def opening(page: Page) -> str:
    """Return a rule's own text, below its severity and confidence."""
    summary, _, reasons = page.entry.text.partition("\n")
    return f"{', '.join(page.facts)}\n\n**{summary}**\n\n{reasons.strip()}".strip()


def fenced(text: str, language: str) -> str:
    """Return a text as a block of code, with a fence longer than those in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.strip()}\n{fence}"


def claims_table(program: Program) -> str:
    """Return the claims of a program about its run."""
    rows = (f"| `{key}` | {escaped(value)} |" for key, value in program.claims)
    return "\n".join(["| | |", "|---|---|", *rows])


def escaped(text: str) -> str:
    """Return a text that a table shows unchanged."""
    # Not every dialect of Markdown takes a backslash before `<`.
    return "".join(f"\\{one}" if one in "\\|>*_`[]" else "&lt;" if one == "<" else one for one in text)


def _sections(page: Page) -> Iterator[str]:
    shown = (("Bad", page.bad), ("Good", page.good), ("Fixed", page.fixed))
    for heading, programs in shown:
        if programs:
            yield f"## {heading}\n\n{fenced(programs[0].text, 'python')}"
    if page.claims:
        proof = [claims_table(page.bad[0]), *page.proof]
        yield "\n\n".join(["## Proof", *proof])
    if page.options:
        yield f"## Options\n\n{fenced(page.options, 'toml')}"
    yield suppression(page)


def suppression(page: Page) -> str:
    """Return the ways to suppress a rule: for a line, a file, the project; a notice, only for the project."""
    comments = [fenced(page.comments, "python")] if page.comments else []
    return "\n\n".join(["## To suppress it", *comments, fenced(page.settings, "toml")])


def _row(found: Entry) -> str:
    summary = found.summary.replace("|", "\\|")
    return f"| `{found.name}` | {summary} | {found.severity.value} | {found.confidence.value} | {on(found)} |"
