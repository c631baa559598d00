"""The parts of a rule's page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torchlint.manual import Entry
from torchlint.programs import Program, programs
from torchlint.rule import OptionValue

DEFAULT = "on by default"


@dataclass(frozen=True, slots=True)
class Page:
    """A rule's own text, its programs, the plainest of a kind first, and the evidence of its claim."""

    entry: Entry
    bad: tuple[Program, ...] = ()
    good: tuple[Program, ...] = ()
    fixed: tuple[Program, ...] = ()
    evidence: str = ""

    @property
    def claims(self) -> dict[str, str]:
        """Return the claims of the first bad program about its run."""
        return dict(self.bad[0].claims) if self.bad else {}

    @property
    def facts(self) -> Iterator[str]:
        """Yield the severity, the confidence, and when the rule runs."""
        found = self.entry
        yield found.severity.value
        yield f"{found.confidence.value} confidence"
        yield on(found)
        yield f"group `{found.group}`"
        if self.fixed:
            yield "fixable"
        yield from (f"formerly `{name}`" for name in found.formerly)

    @property
    def proof(self) -> Iterator[str]:
        """Yield how to verify the claim, and the result of that, a sentence each."""
        if "claim" in self.claims:
            others = " and the other bad ones" if self.bad[1:] else ""
            yield "The bad program has to do what it claims, and the good one must not."
            yield f"`torchlint verify {self.entry.name}` runs both{others}."
        if self.evidence:
            yield self.evidence

    @property
    def options(self) -> str:
        """Return the options with their defaults, as pyproject.toml has them."""
        values = (f"{name} = {toml(value)}\n" for name, value in self.entry.options.items())
        return "".join([f"[tool.torchlint.rules.{self.entry.name}]\n", *values]) if self.entry.options else ""

    @property
    def comments(self) -> str:
        """Return the comments that suppress it in a line and in a file; empty for findings without a rule."""
        name = self.entry.name
        if not self.entry.is_rule:
            return ""
        return (
            f"# torchlint: ignore[{name}] why it is right here\n"
            f"# torchlint: file-ignore[{name}] why it is right in this file\n"
        )

    @property
    def settings(self) -> str:
        """Return the settings that suppress it in a project."""
        return f'[tool.torchlint]\nignore = ["{self.entry.name}"]\n'


def page_of(entry: Entry, evidence: str = "") -> Page:
    """Return the page of an entry, with the programs that are installed."""
    bad, good, fixed = (tuple(programs(entry.name, kind)) for kind in ("bad", "good", "fixed"))
    return Page(entry, bad, good, fixed, evidence)


def on(entry: Entry) -> str:
    """Return whether a rule runs by default."""
    if entry.preview:
        return "in preview"
    return DEFAULT if entry.default else "opt-in"


def toml(value: OptionValue) -> str:
    """Return a value as pyproject.toml has it."""
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return f"[{', '.join(map(toml, value))}]"
        case str():
            return f'"{value}"'
        case int():
            return str(value)
