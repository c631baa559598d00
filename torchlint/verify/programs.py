"""The rules' fixtures as programs: what their heads say, and which line the rule points to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.errors import TorchlintError
from torchlint.verify.claims import Claim, Line, UnknownClaimError, parse_claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEAD = re.compile(r"#:\s+(\w+)\s*(.*)")
_MARK = re.compile(r"#\s*error(?::\s*(?P<rules>[\w-]+(?:\s*,\s*[\w-]+)*))?\s*$")
_KEYS = {"claim", "unproved", "gpus", "then", "needs", "torch", "steps"}
PROJECT = "main.py"


@dataclass(frozen=True, slots=True)
class Head:
    """What a program says of itself, in `#:` lines near its top.

    `gpus` is how many it needs, None where it runs as it is; `then` how many the machine has on which its `then(path)`
    runs, after `save(path)` ran on the first; `needs` names packages, and `time` where only a real GPU will do.
    """

    claim: Claim | None = None
    claimed: str = ""
    unproved: str = ""
    gpus: int | None = None
    then: int | None = None
    needs: tuple[str, ...] = ()
    torch: tuple[int, ...] = ()
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """One fixture: a file, or a folder with a `main.py`."""

    rule: str
    name: str
    path: Path
    files: tuple[Path, ...]
    head: Head

    def marked(self) -> frozenset[Line]:
        """Return the lines to which the rule must point."""
        return frozenset(
            (str(file), number)
            for file in self.files
            for number, rules in marks(file.read_text(encoding="utf-8"))
            if not rules or self.rule in rules
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """A bad program, and the good one that it is held against."""

    bad: Program
    good: Program


def marks(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the marked lines of a fixture: no rules where the fixture's own is meant, else those that are named."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := _MARK.search(line):
            yield number, tuple(re.split(r"\s*,\s*", found["rules"])) if found["rules"] else ()


@cache
def fixtures_folder() -> Path:
    """Return the folder that the fixtures are in: beside the engine in a checkout, inside it when installed."""
    return Path(str(files("torchlint.fixtures"))).resolve()


def rules_with_programs() -> list[str]:
    """Return the rules that have fixtures, in the order of their names."""
    return sorted(folder.name for folder in fixtures_folder().iterdir() if any(_members(folder, "bad")))


def pairs_of(rule: str) -> list[Pair]:
    """Return every bad program of a rule with its good twin: `bad_x` goes with `good_x`, or with `good`."""
    folder = fixtures_folder() / rule
    good = {member.name: member for member in _members(folder, "good")}
    pairs = []
    for member in _members(folder, "bad"):
        twin = good.get(member.name.replace("bad", "good", 1)) or good.get("good.py")
        if twin is None:
            raise TorchlintError(f"{rule}/{member.name} has no good twin")
        pairs.append(Pair(read_program(rule, member), read_program(rule, twin)))
    return pairs


def good_programs() -> list[Program]:
    """Return every good program of every rule."""
    folders = [fixtures_folder() / rule for rule in rules_with_programs()]
    return [read_program(folder.name, member) for folder in folders for member in _members(folder, "good")]


def _members(folder: Path, kind: str) -> list[Path]:
    if not folder.is_dir():
        return []
    found = (path for path in folder.iterdir() if re.fullmatch(rf"{kind}(_\w+)?(\.py)?", path.name))
    return sorted(path for path in found if path.suffix == ".py" or (path / PROJECT).is_file())


def read_program(rule: str, member: Path) -> Program:
    """Read the head of a fixture; raises `TorchlintError` where it makes no sense."""
    path = member if member.is_file() else member / PROJECT
    files = (path,) if member.is_file() else tuple(sorted(member.rglob("*.py")))
    try:
        head = read_head(path.read_text(encoding="utf-8").splitlines())
    except ValueError as error:
        raise TorchlintError(f"{rule}/{member.name} {error}") from error
    return Program(rule, member.stem, path, files, head)


def read_head(lines: Iterable[str]) -> Head:
    """Read the `#:` lines of a program; raises `ValueError` where they make no sense."""
    said: dict[str, str] = {}
    for line in lines:
        if found := _HEAD.match(line):
            if found[1] not in _KEYS:
                raise UnknownClaimError(f"says `{found[1]}`, which means nothing")
            said[found[1]] = found[2].strip()
    return Head(
        claim=parse_claim(said["claim"]) if "claim" in said else None,
        claimed=said.get("claim", ""),
        unproved=said.get("unproved", ""),
        gpus=_number(said, "gpus"),
        then=_number(said, "then"),
        needs=tuple(said.get("needs", "").split()),
        torch=tuple(int(part) for part in said.get("torch", "").split(".") if part),
        steps=_number(said, "steps"),
    )


def _number(said: dict[str, str], key: str) -> int | None:
    return int(said[key]) if key in said else None
