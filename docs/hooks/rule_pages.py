"""The pages of rules on the site: what `torchlint explain` shows, and what the rule says of its wrong program."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import indent
from typing import TypedDict

from torchlint.explain.markdown import escaped, fenced, opening, suppression
from torchlint.explain.pages import DEFAULT, Page, on
from torchlint.finding import Confidence
from torchlint.manual import Entry, Subject, entry
from torchlint.output import OutputSettings, render
from torchlint.programs import Program, marks, programs
from torchlint.testing import Case

_EVIDENCE = Path(__file__).parents[1] / "evidence"
_CONCEPTS = {
    "checkpoint": ("wrapper",),
    "device": ("guard",),
    "parallel": ("wrapper",),
    "sync": ("step-loop", "wait"),
}


class Proved(TypedDict):
    """What a record says of one program."""

    program: str
    twin: str
    claim: str
    verdict: str
    seen: str


def rule_page(page: Page, told: str) -> str:
    """Return the page of a rule; `told` is what torchlint says of its first wrong program."""
    return "\n\n".join(
        [f"# `{page.entry.name}`", *_head(page), *_programs(page), *_told(told), *_proof(page), *_rest(page)]
    )


def index_page(subjects: Sequence[Subject]) -> str:
    """Return the list of all rules, each with a link to its page."""
    entries = sorted(map(entry, subjects), key=lambda found: (found.group, found.name))
    count = sum(found.is_rule for found in entries)
    parts = [
        "---\nhide: [toc]\n---\n\n# The rules",
        f"There are {count}. Each is selected and ignored by its name or with its group, and configured by its name."
        " What is opt-in runs where it is selected. `torchlint rules` lists them on a terminal.",
    ]
    for group, members in groupby(entries, key=lambda found: found.group):
        rows = "\n".join(map(_index_row, members))
        parts.append(f"## {group}\n\n| rule | what to do | | |\n|---|---|---|---|\n{rows}")
    return "\n\n".join(parts)


def told_of(case: Case) -> str:
    """Return what torchlint says of a program on a terminal."""
    return "".join(render("full", case.reports(), OutputSettings(quiet=True, width=100))).strip()


def _index_row(found: Entry) -> str:
    summary = found.summary.replace("|", "\\|")
    notes = [] if on(found) == DEFAULT else [on(found)]
    notes += [] if found.confidence is Confidence.HIGH else [f"{found.confidence.value} confidence"]
    notes += ["fix"] if programs(found.name, "fixed") else []
    return f"| [`{found.name}`]({found.name}.md) | {summary} | {_fact(found.severity.value)} | {', '.join(notes)} |"


def _fact(words: str) -> str:
    return f'<span class="fact {words.partition(" ")[0]}">{words}</span>'


def _head(page: Page) -> Iterator[str]:
    yield " ".join(_fact(fact.replace("`", "")) for fact in page.facts)
    yield opening(page).partition("\n\n")[2]
    concepts = _CONCEPTS.get(page.entry.group, ())
    if concepts:
        links = " and ".join(f"[{name.replace('-', ' ')}](../concepts/{name}.md)" for name in concepts)
        yield f"What torchlint means by it: {links}."


def _programs(page: Page) -> Iterator[str]:
    """Yield the first programs side by side, and the others below, folded."""
    tabs = (("Bad", page.bad), ("Good", page.good), ("Fixed", page.fixed))
    shown = [(title, programs[0]) for title, programs in tabs if programs]
    if shown:
        yield "## Programs"
        yield "\n\n".join(f'=== "{title}"\n\n{indent(_code(program), "    ")}' for title, program in shown)
    if page.bad and not page.fixed:
        yield "No single edit is right for every program, so there is no fix; the good program shows what to write."
    others = [_code(program, program.name) for _, programs in tabs for program in programs[1:]]
    if others:
        counts = (f"{len(programs) - 1} {title.lower()}" for title, programs in tabs if programs[1:])
        yield f'??? example "More programs: {", ".join(counts)}"\n\n{indent(chr(10).join(others), "    ")}'


def _code(program: Program, title: str = "") -> str:
    text = program.text.strip()
    numbers = " ".join(str(number) for number, _ in marks(text))
    return fenced(
        text,
        "python" + (f' title="{title}"' if title else "") + (f' hl_lines="{numbers}"' if numbers else ""),
    )


def _told(told: str) -> Iterator[str]:
    if told:
        yield "## What torchlint says of the bad one"
        yield fenced(told, "text")


def _proof(page: Page) -> Iterator[str]:
    if not page.claims:
        return
    yield "## Proof"
    yield from page.proof
    proved = _records().get(page.entry.name, [])
    if "unproved" in page.claims:
        yield f'!!! note "Not proved"\n\n    {page.claims["unproved"]}'
    elif proved:
        head = "| program | claims | verdict | what was seen |\n|---|---|---|---|"
        yield "\n".join([head, *map(_proved_row, proved)])
    yield "[How rules are proved](../verify.md)"


def _proved_row(one: Proved) -> str:
    twin = f"`{one['program']}` against `{one['twin']}`"
    return f"| {twin} | {escaped(one['claim'])} | {one['verdict']} | {escaped(one['seen'])} |"


def _rest(page: Page) -> Iterator[str]:
    if page.options:
        yield f"## Options\n\n{fenced(page.options, 'toml')}"
    yield suppression(page)


def _records() -> Mapping[str, list[Proved]]:
    """Return what the newest record of each rule says of its programs."""
    records = (json.loads(file.read_text("utf-8")) for file in sorted(_EVIDENCE.glob("*.json")))
    return {rule["rule"]: rule["programs"] for record in records for rule in record["rules"]}
