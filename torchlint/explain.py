"""The manual on the screen: the page of a rule, and the list of all rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import indent

from torchlint.errors import UsageError
from torchlint.manual import Entry, Subject, entry
from torchlint.nearest import nearest
from torchlint.programs import Program, programs
from torchlint.rule import OptionValue
from torchlint.style import Style

LISTINGS = ("text", "markdown", "json")


def page(name: str, subjects: Iterable[Subject], *, color: bool = False, evidence: str = "") -> str:
    """Return the page of a rule; `evidence` is what was seen when its claim was last put to the proof."""
    known = {subject.name: subject for subject in subjects}
    if name not in known:
        raise UsageError(f"unknown rule `{name}`; {_advice(name, known)}")
    found, style = entry(known[name]), Style(color)
    sections = [f"{style.bold(heading)}\n{indent(text, ' ' * 4)}" for heading, text in _sections(found, evidence)]
    return "\n\n".join([_title(found, style), found.text, *sections]) + "\n"


def listing(subjects: Iterable[Subject], form: str = "text", *, color: bool = False) -> str:
    """Return the list of all rules in one of `LISTINGS`, by group and name."""
    entries = sorted(map(entry, subjects), key=lambda found: (found.group, found.name))
    match form:
        case "markdown":
            return _markdown(entries)
        case "json":
            return _json(entries)
        case _:
            return _text(entries, Style(color))


def _advice(name: str, known: Iterable[str]) -> str:
    meant = nearest(name, known)
    return f"did you mean `{meant}`?" if meant else "`torchlint rules` lists them all"


def _title(found: Entry, style: Style) -> str:
    severity = style.grave(found.severity.value, found.severity)
    name, confidence = style.bold(found.name), f"{found.confidence.value} confidence"
    return f"{name}: {severity}, {confidence}, {_on(found)}, group `{found.group}`"


def _on(found: Entry) -> str:
    return "on by default" if found.default else "opt-in"


def _sections(found: Entry, evidence: str) -> Iterator[tuple[str, str]]:
    """Yield the headings and the texts that follow what the rule says of itself."""
    bad, good = programs(found.name, "bad"), programs(found.name, "good")
    if found.options:
        values = (f"{name} = {_toml(value)}" for name, value in found.options.items())
        yield "Options", "\n".join([f"[tool.torchlint.rules.{found.name}]", *values])
    if bad:
        yield "Proof", "\n".join(_proof(found.name, bad, evidence))
    for title, shown in (("Bad: `# error` marks what is reported", bad[:1]), ("Good", good[:1])):
        for program in shown:
            yield f"{title} ({program.path})", program.text.strip()
    yield "To suppress it", "\n".join(_suppression(found))


def _toml(value: OptionValue) -> str:
    """Return a value as it stands in pyproject.toml."""
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return f"[{', '.join(map(_toml, value))}]"
        case str():
            return f'"{value}"'
        case int():
            return str(value)


def _proof(name: str, bad: Sequence[Program], evidence: str) -> Iterator[str]:
    """Yield what the bad program claims to do when it runs, and how to see it."""
    claims = bad[0].claims
    yield from (f"{key:<9} {value}" for key, value in claims)
    if any(key == "claim" for key, _ in claims):
        others = " and the other bad ones" if bad[1:] else ""
        yield f"The good program does not. `torchlint verify {name}` runs both{others}."
    if evidence:
        yield evidence


def _suppression(found: Entry) -> Iterator[str]:
    """Yield the ways to suppress a rule: for a line, a file, the project; a notice, only for the project."""
    if found.is_rule:
        yield f"# torchlint: ignore[{found.name}] why it is right here"
        yield f"# torchlint: file-ignore[{found.name}] why it is right in this file"
    yield from ("[tool.torchlint]", f'ignore = ["{found.name}"]')


def _text(entries: Sequence[Entry], style: Style) -> str:
    widest = max((len(found.name) for found in entries), default=0)
    lines: list[str] = []
    for group, members in groupby(entries, key=lambda found: found.group):
        lines.append(style.bold(group))
        for found in members:
            severity = style.grave(f"{found.severity.value:<7}", found.severity)
            opt_in = "" if found.default else "(opt-in) "
            lines.append(f"  {found.name:<{widest}}  {severity}  {found.confidence.value:<6}  {opt_in}{found.summary}")
    return "".join(f"{line}\n" for line in lines)


def _markdown(entries: Sequence[Entry]) -> str:
    tables: list[str] = []
    for group, members in groupby(entries, key=lambda found: found.group):
        rows = "".join(f"{_row(found)}\n" for found in members)
        tables.append(f"## {group}\n\n| rule | what to do | severity | confidence | |\n|---|---|---|---|---|\n{rows}")
    return "\n".join(tables)


def _row(found: Entry) -> str:
    summary = found.summary.replace("|", "\\|")
    return f"| `{found.name}` | {summary} | {found.severity.value} | {found.confidence.value} | {_on(found)} |"


def _json(entries: Sequence[Entry]) -> str:
    import json

    return json.dumps({"version": 1, "rules": [_record(found) for found in entries]}, indent=2) + "\n"


def _record(found: Entry) -> Mapping[str, object]:
    return {
        "name": found.name,
        "group": found.group,
        "severity": found.severity.value,
        "confidence": found.confidence.value,
        "default": found.default,
        "summary": found.summary,
        "page": found.text,
        "options": dict(found.options),
    }
