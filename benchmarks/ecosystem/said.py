"""What torchlint said about a subject, as text in full, or as a record that holds nothing of the subject's own."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding, an error or a rule that was stopped; of one from a record, the text is not known."""

    name: str
    place: str
    digest: str
    text: str = ""

    @property
    def full(self) -> str:
        """Return all of it: the first line says what and where, those below are indented."""
        return f"{self.name} {self.place} {self.text}".rstrip().replace("\n", "\n    ")


@dataclass(frozen=True, slots=True)
class Said:
    """All entries about a subject, in order, and the steps by rule, None where they were not counted."""

    subject: str
    of: str
    entries: tuple[Entry, ...]
    steps: Mapping[str, int] | None
    files: int
    seconds: float = 0.0

    @property
    def full(self) -> str:
        """Return the text to read: what each rule says, its trace and its fix."""
        return self._text(entry.full for entry in self.entries)

    @property
    def record(self) -> str:
        """Return what is committed: rules and places, and of all that is said a digest."""
        return self._text(f"{entry.name} {entry.digest} {entry.place}" for entry in self.entries)

    @property
    def total(self) -> str:
        """Return how much was said."""
        kinds = Counter(entry.name.partition(" ")[0] for entry in self.entries)
        steps = "not counted" if self.steps is None else f"{sum(self.steps.values()):,}"
        return (
            f"total: files {self.files}, findings {kinds['finding']}, errors {kinds['error']}, "
            f"incomplete {kinds['incomplete']}, steps {steps}"
        )

    def _text(self, entries: Iterator[str]) -> str:
        steps = (f"steps {rule} {taken}" for rule, taken in (self.steps or {}).items())
        return "\n".join([f"of {self.subject} {self.of}", *entries, *steps, self.total]) + "\n"


def from_probe(subject: str, of: str, printed: str) -> Said:
    """Return what a probe printed."""
    said = json.loads(printed)
    entries = [Entry(name, place, _digest(text), text) for name, place, text in said["entries"]]
    return Said(subject, of, tuple(sorted(entries, key=_order)), said["steps"], said["files"], said["seconds"])


def from_record(path: Path) -> Said:
    """Return what a record holds."""
    first, *lines, total = path.read_text("utf-8").splitlines()
    _, subject, of = first.split(" ", 2)
    steps = {rule: int(taken) for kind, rule, taken in _split(lines) if kind == "steps"}
    entries = [(kind, rule, *rest.split(" ", 1)) for kind, rule, rest in _split(lines) if kind != "steps"]
    files = int(total.removeprefix("total: files ").partition(",")[0])
    found = tuple(Entry(f"{kind} {rule}", place, digest) for kind, rule, digest, place in entries)
    return Said(subject, of, found, steps, files)


def _split(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    for line in lines:
        kind, name, rest = line.split(" ", 2)
        yield kind, name, rest


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _order(entry: Entry) -> tuple[str, str, int, int, str]:
    """Return what entries are sorted by: their kind and rule, then file, line and column."""
    if not entry.name.startswith("finding "):
        return (entry.name, entry.place, 0, 0, entry.text)
    path, line, column = entry.place.rsplit(":", 2)
    return (entry.name, path, int(line), int(column), entry.text)
