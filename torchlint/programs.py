"""The programs that show a rule at work, and their claims about a run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torchlint.packs import homes

_MARK = re.compile(r"#\s*error(?::\s*(?P<rules>[\w-]+(?:\s*,\s*[\w-]+)*))?\s*$")
_CLAIM = re.compile(r"^#:[ \t]*(\w+)[ \t]+(.+?)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Program:
    """A program of a rule's fixture."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        """Return its name in its folder; for a program of several files, that of the folder."""
        return self.path.parent.name if self.path.name == "main.py" else self.path.name

    @property
    def claims(self) -> list[tuple[str, str]]:
        """Return the claims in its header, as pairs such as `claim` and `waits >= 1 per step`."""
        return _CLAIM.findall(self.text)


def programs(rule: str, kind: str) -> list[Program]:
    """Return the `bad` or the `good` programs of a rule, the plainest first; of a project, its main file."""
    folders = [folder for home in homes() if (folder := home / "fixtures" / rule).is_dir()]
    patterns = (f"{kind}.py", f"{kind}_*.py", f"{kind}_*/main.py")
    paths = [path for folder in folders for pattern in patterns for path in sorted(folder.glob(pattern))]
    return [Program(path, path.read_text("utf-8")) for path in paths]


def marks(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the marked lines of a program: without rules if the fixture's own is meant, else with the named ones."""
    for number, line in enumerate(text.split("\n"), 1):
        if found := _MARK.search(line):
            yield number, tuple(re.split(r"\s*,\s*", found["rules"])) if found["rules"] else ()


def unmarked(text: str) -> str:
    """Return a program without the marks of its mistakes."""
    return "\n".join(_MARK.sub("", line).rstrip() if _MARK.search(line) else line for line in text.split("\n"))
