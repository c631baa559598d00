"""The manual's data of each rule, and of the engine's own findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Protocol, TypeAlias

from torchlint.finding import Confidence, Severity
from torchlint.rule import OptionValue, Rule


class Notice(Protocol):
    """One of the engine's own findings, without a rule."""

    @property
    def name(self) -> str:
        """The name that is shown with its findings."""
        ...

    @property
    def group(self) -> str:
        """The group that it is selected by."""
        ...

    @property
    def severity(self) -> Severity:
        """How serious it is."""
        ...

    @property
    def summary(self) -> str:
        """What to do, in a sentence."""
        ...

    @property
    def page(self) -> str:
        """What happens otherwise, and to whom."""
        ...


Subject: TypeAlias = "type[Rule] | Notice"


@dataclass(frozen=True, slots=True)
class Entry:
    """The manual's data of a subject; `text` is its page, whose first line says what to do."""

    name: str
    group: str
    severity: Severity
    text: str
    confidence: Confidence = Confidence.HIGH
    default: bool = True
    options: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])
    is_rule: bool = False
    preview: bool = False
    formerly: tuple[str, ...] = ()
    cvss: float = 0.0

    @property
    def summary(self) -> str:
        """Return the first line of the page."""
        return self.text.partition("\n")[0]

    @property
    def reference(self) -> str:
        """Return the address of PyTorch's documentation of the subject, which ends a page; empty without one."""
        last = self.text.rpartition("\n")[2]
        return last if last.startswith("https://") else ""


def entry(subject: Subject) -> Entry:
    """Return the manual's data of a subject; a notice is never a guess, and is always on."""
    if not isinstance(subject, type):
        text = f"{subject.summary}\n\n{subject.page.removeprefix(subject.summary).strip()}".strip()
        return Entry(subject.name, subject.group, subject.severity, text)
    return Entry(
        subject.name,
        subject.group,
        subject.severity,
        cleandoc(subject.__doc__ or ""),
        subject.confidence,
        subject.default,
        subject.option_defaults,
        is_rule=True,
        preview=subject.preview,
        formerly=subject.formerly,
        cvss=subject.cvss,
    )


def paragraphs(text: str) -> Iterator[str | tuple[str, ...]]:
    """Yield the paragraphs of a page, each on one line; a list is a tuple of its items."""
    for part in text.strip().split("\n\n"):
        if part.startswith("- "):
            yield tuple(" ".join(item.split()) for item in part.removeprefix("- ").split("\n- "))
        elif part.strip():
            yield " ".join(part.split())
