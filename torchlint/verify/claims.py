"""The claims of programs, and whether they hold: nothing here needs torch."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar, Protocol

from torchlint.verify.outcome import Observation, Raised

_WORDS = 110
Line = tuple[str, int]
"""A file and a line in it."""


class UnknownClaimError(ValueError):
    """A claim of an unknown kind."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a claim holds, and what was observed."""

    holds: bool
    words: str


@dataclass(frozen=True, slots=True)
class Runs:
    """A bad program's run and its good twin's; the rule points to the marked lines of the bad one."""

    bad: Observation
    good: Observation
    marked: Collection[Line]


class Claim(Protocol):
    """What a bad program does, and its good twin does not."""

    ends_early: ClassVar[bool]
    """Whether the bad program is expected to end in an exception."""

    def judge(self, runs: Runs) -> Judgement:
        """Judge two runs by the claim."""
        ...


@dataclass(frozen=True, slots=True)
class Raises:
    """It ends in an exception of a type, whose text matches."""

    type: str
    pattern: str
    ends_early: ClassVar[bool] = True

    def judge(self, runs: Runs) -> Judgement:
        """Judge two runs by the claim."""
        if runs.bad.raised is None:
            return Judgement(False, "nothing was raised")
        found = re.search(self.pattern, runs.bad.raised.message, re.DOTALL)
        if found is None or not re.fullmatch(self.type, runs.bad.raised.kind):
            return Judgement(False, runs.bad.raised.words)
        return Judgement(True, _ending_at(runs.bad.raised, found.end()))


@dataclass(frozen=True, slots=True)
class Races:
    """Two streams access a tensor without waiting for each other."""

    ends_early: ClassVar[bool] = True

    def judge(self, runs: Runs) -> Judgement:
        """Judge two runs by the claim."""
        if runs.bad.raised is None or runs.bad.raised.kind != "CUDASanitizerErrors":
            return Judgement(False, "no race" if runs.bad.raised is None else runs.bad.raised.words)
        return Judgement(True, f"a data race in line {runs.bad.raised.line}")


@dataclass(frozen=True, slots=True)
class Waits:
    """The host waits for the GPU so often per step, at each marked line; the twin does so at no line."""

    at_least: float
    ends_early: ClassVar[bool] = False

    def judge(self, runs: Runs) -> Judgement:
        """Judge two runs by the claim."""
        if not runs.bad.steps or not runs.good.steps:
            return Judgement(False, "no optimizer made a step, and the program does not say how many it makes")
        seen = runs.bad.waits_per_step()
        counts = [seen.get(line, 0.0) for line in runs.marked]
        least, most = min(counts, default=0.0), max(counts, default=0.0)
        twin = max(runs.good.waits_per_step().values(), default=0.0)
        span = f"{least:.2f}" if least == most else f"{least:.2f} to {most:.2f}"
        lines = "the marked line" if len(counts) == 1 else f"each of {len(counts)} marked lines"
        words = f"{span} waits per step at {lines}; its twin at most {twin:.2f} at any line"
        return Judgement(least >= self.at_least > twin, words)


@dataclass(frozen=True, slots=True)
class BreaksGraph:
    """Dynamo breaks the graph at each marked line; in the twin at no line."""

    ends_early: ClassVar[bool] = False

    def judge(self, runs: Runs) -> Judgement:
        """Judge two runs by the claim."""
        seen = {(one.path, one.line) for one in runs.bad.breaks}
        broken = sum(line in seen for line in runs.marked)
        words = f"Dynamo breaks the graph at {broken} of {len(runs.marked)} marked lines"
        if not runs.good.compiles:
            return Judgement(False, f"{words}; its twin compiles nothing")
        if runs.good.breaks:
            return Judgement(False, f"{words}; its twin in line {runs.good.breaks[0].line}")
        return Judgement(bool(runs.marked) and broken == len(runs.marked), f"{words}; its twin at none")


@dataclass(frozen=True, slots=True)
class Warns:
    """It warns, with a text that matches; the twin does not."""

    category: str
    pattern: str
    ends_early: ClassVar[bool] = False

    def judge(self, runs: Runs) -> Judgement:
        """Judge two runs by the claim."""
        words = self._warning(runs.bad)
        if words is None:
            return Judgement(False, "no such warning")
        if self._warning(runs.good) is not None:
            return Judgement(False, "the good program warns too")
        return Judgement(True, words)

    def _warning(self, run: Observation) -> str | None:
        for category, message in run.warned:
            if re.fullmatch(self.category, category) and re.search(self.pattern, message, re.DOTALL):
                return f"{category}: {' '.join(message.split())}"
        return None


@dataclass(frozen=True, slots=True)
class ResultDiffers:
    """The two programs set RESULT, and to different values."""

    ends_early: ClassVar[bool] = False

    def judge(self, runs: Runs) -> Judgement:
        """Judge two runs by the claim."""
        if runs.bad.result is None or runs.good.result is None:
            return Judgement(False, "a program set no RESULT")
        return Judgement(runs.bad.result != runs.good.result, f"{runs.bad.result}; its twin {runs.good.result}")


@dataclass(frozen=True, slots=True)
class MemoryGrows:
    """Every step keeps memory that the twin's steps free."""

    ends_early: ClassVar[bool] = False
    # A Python number or two a step is no leak.
    least: ClassVar[int] = 1024

    def judge(self, runs: Runs) -> Judgement:
        """Judge two runs by the claim."""
        if runs.bad.kept is None or runs.good.kept is None:
            return Judgement(False, "too few steps to see memory grow")
        words = f"{runs.bad.kept / 1024:.1f} KiB kept per step; its twin {runs.good.kept / 1024:.1f} KiB"
        return Judgement(runs.bad.kept >= self.least and runs.good.kept <= runs.bad.kept / 10, words)


@dataclass(frozen=True, slots=True)
class Slower:
    """Its fastest run is slower than the slowest of its twin."""

    ends_early: ClassVar[bool] = False

    def judge(self, runs: Runs) -> Judgement:
        """Judge two runs by the claim."""
        if not runs.bad.rates or not runs.good.rates:
            return Judgement(False, "too few steps to time")
        words = f"{_spread(runs.bad.rates)} steps/s; its twin {_spread(runs.good.rates)}"
        return Judgement(max(runs.bad.rates) < min(runs.good.rates), words)


def _ending_at(raised: Raised, end: int) -> str:
    """Return the text of an exception; of a long message the part that matches the claim."""
    if len(raised.words) <= _WORDS:
        return raised.words
    start = max(end - _WORDS // 2, 0)
    part = " ".join(raised.message[start:].split())
    return f"{raised.kind}: {'… ' if start else ''}{part}"


def _spread(rates: tuple[float, ...]) -> str:
    return f"{min(rates):.0f}-{max(rates):.0f}"


def judge(claim: Claim, runs: Runs) -> Judgement:
    """Tell whether the bad program does what it claims, and its good twin completes and does not."""
    if runs.good.raised is not None:
        return Judgement(False, f"the good program raises {_cut(runs.good.raised.words)}")
    if runs.bad.raised is not None and not claim.ends_early:
        return Judgement(False, f"the bad program raises {_cut(runs.bad.raised.words)}")
    judgement = claim.judge(runs)
    return Judgement(judgement.holds, _cut(judgement.words))


def _cut(words: str) -> str:
    return words if len(words) <= _WORDS else f"{words[: _WORDS - 1]}…"


_PLAIN: dict[str, Claim] = {
    "races": Races(),
    "result differs": ResultDiffers(),
    "memory grows": MemoryGrows(),
    "slower": Slower(),
    "breaks graph": BreaksGraph(),
}


def parse_claim(text: str) -> Claim:
    """Return the claim in a line of a program's header; raises `UnknownClaimError` if it has none."""
    if text in _PLAIN:
        return _PLAIN[text]
    if found := re.fullmatch(r"waits >= (\d+(?:\.\d+)?) per step", text):
        return Waits(float(found[1]))
    if found := re.fullmatch(r"(raises|warns) (\S+) matching (.+)", text):
        _check_patterns(text, found[2], found[3])
        return Raises(found[2], found[3]) if found[1] == "raises" else Warns(found[2], found[3])
    raise UnknownClaimError(f"claims `{text}`, which cannot be checked")


def _check_patterns(text: str, *patterns: str) -> None:
    try:
        for pattern in patterns:
            re.compile(pattern)
    except re.error as error:
        raise UnknownClaimError(f"claims `{text}`, whose pattern is wrong: {error}") from error
