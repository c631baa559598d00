"""The programs that show a rule at work, and what they claim to do when they run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import torchlint

_CLAIM = re.compile(r"^#:[ \t]*(\w+)[ \t]+(.+?)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Program:
    """A program of a rule's fixture."""

    path: Path
    text: str

    @property
    def claims(self) -> list[tuple[str, str]]:
        """Return what its head says about running it, as pairs such as `claim` and `waits >= 1 per step`."""
        return _CLAIM.findall(self.text)


def programs(rule: str, kind: str) -> list[Program]:
    """Return the `bad` or the `good` programs of a rule, the plainest first; of a project, its main file."""
    # In a checkout the fixtures stand beside the package, in a wheel inside it: its path leads to both.
    folders = [folder for root in torchlint.__path__ if (folder := Path(root, "fixtures", rule)).is_dir()]
    patterns = (f"{kind}.py", f"{kind}_*.py", f"{kind}_*/main.py")
    paths = [path for folder in folders for pattern in patterns for path in sorted(folder.glob(pattern))]
    return [Program(path, path.read_text("utf-8")) for path in paths]
