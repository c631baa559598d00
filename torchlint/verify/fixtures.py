"""The rules' programs for the replay: in pairs, with their headers and the marked lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from torchlint import programs
from torchlint.errors import TorchlintError
from torchlint.packs import homes
from torchlint.programs import marks
from torchlint.verify.claims import Claim, Line, UnknownClaimError, parse_claim

_KEYS = {"claim", "unproved", "gpus", "then", "needs", "torch", "steps"}
_ENTRY = "main.py"


@dataclass(frozen=True, slots=True)
class Head:
    """The `#:` lines near the top of a program.

    `gpus` is how many it needs, None if it runs as it is; `then` how many the machine has on which its `then(path)`
    runs, after `save(path)` ran on the first; `needs` names packages, and `time` what only a real GPU can show.
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
class Fixture:
    """A program of a rule: `bad` for `bad.py`, `bad_project` for `bad_project/main.py` and its neighbours."""

    rule: str
    name: str
    path: Path
    head: Head

    def marked(self) -> frozenset[Line]:
        """Return the lines that the rule must report."""
        files = sorted(self.path.parent.rglob("*.py")) if self.path.name == _ENTRY else [self.path]
        return frozenset(
            (str(file), number)
            for file in files
            for number, rules in marks(file.read_text(encoding="utf-8"))
            if not rules or self.rule in rules
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """A bad program, and the good one that it is compared with."""

    bad: Fixture
    good: Fixture


def rules_with_fixtures() -> list[str]:
    """Return the rules with fixtures, in the order of their names."""
    roots = [folder for home in homes() if (folder := home / "fixtures").is_dir()]
    return sorted(folder.name for root in roots for folder in root.iterdir() if programs.programs(folder.name, "bad"))


def pairs_of(rule: str) -> list[Pair]:
    """Return every bad program of a rule with its good twin: `bad_x` goes with `good_x`, or with `good`."""
    good = {fixture.name: fixture for fixture in fixtures_of(rule, "good")}
    pairs = []
    for bad in fixtures_of(rule, "bad"):
        twin = good.get(bad.name.replace("bad", "good", 1)) or good.get("good")
        if twin is None:
            raise TorchlintError(f"{rule}/{bad.name} has no good twin")
        pairs.append(Pair(bad, twin))
    return pairs


def fixed_pairs_of(rule: str) -> list[Pair]:
    """Return every bad program of a rule that torchlint fixes, with the fixed program as its twin."""
    bad = {fixture.name: fixture for fixture in fixtures_of(rule, "bad")}
    return [Pair(bad[fixed.name.replace("fixed", "bad", 1)], fixed) for fixed in fixtures_of(rule, "fixed")]


def fixtures_of(rule: str, kind: str) -> list[Fixture]:
    """Return the `bad` or the `good` programs of a rule; raises `TorchlintError` if a header is invalid."""
    found = []
    for program in programs.programs(rule, kind):
        path = program.path.resolve()
        name = path.parent.name if path.name == _ENTRY else path.stem
        try:
            found.append(Fixture(rule, name, path, head_of(program.claims)))
        except ValueError as error:
            raise TorchlintError(f"{rule}/{name} {error}") from error
    return found


def head_of(lines: Iterable[tuple[str, str]]) -> Head:
    """Return the header of a program; raises `ValueError` if it is invalid."""
    said = dict(lines)
    for key in said.keys() - _KEYS:
        raise UnknownClaimError(f"says `{key}`, which means nothing")
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


def _number(said: Mapping[str, str], key: str) -> int | None:
    if key not in said:
        return None
    if not said[key].isdigit():
        raise UnknownClaimError(f"says `{key} {said[key]}`, which is no number")
    return int(said[key])
