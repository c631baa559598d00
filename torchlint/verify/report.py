"""The results, as text and as JSON."""

from __future__ import annotations

import platform
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from torchlint.verify.gpus import Gpu
from torchlint.verify.outcome import Observation
from torchlint.verify.replay import Replay, Verdict

SIMULATED = "what needs one is simulated, which shows that it happens and not what it costs"
UNSEEN = (
    "time, memory, NCCL, kernels' own assertions and threads that the program starts are not simulated;",
    "waits in the backward of max(), median(), prod() and cumprod() are not seen",
)
_FOLDERS = re.compile(r"""(?<![\w/.:])/(?:[^/\s"':,;()\[\]]+/)+""")
# The worst verdict of a rule's programs is the rule's; a program that could not be tried decides nothing.
_GRAVEST = (Verdict.REFUTED, Verdict.SIMULATED, Verdict.MEASURED, Verdict.PROVED, Verdict.SKIPPED)


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the claims were tried."""

    torch: str
    gpus: tuple[Gpu, ...]
    unusable: str = ""
    """Why the GPUs of this machine are not used, if there are any."""

    @property
    def words(self) -> str:
        """Return one line on the machine."""
        gpus = ", ".join(f"{count} x {name}" for name, count in Counter(gpu.name for gpu in self.gpus).items())
        found = gpus or f"{self.unusable or 'no GPU'}: {SIMULATED}"
        return f"torch {self.torch}, Python {platform.python_version()}, {found}"


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The results of all programs of a rule."""

    rule: str
    replays: tuple[Replay, ...]

    @property
    def decisive(self) -> Replay:
        """Return the replay with the rule's verdict."""
        return min(self.replays, key=lambda replay: _GRAVEST.index(replay.verdict))

    @property
    def verdict(self) -> Verdict:
        """Return the worst verdict."""
        return self.decisive.verdict


def head(environment: Environment, *, verbose: bool) -> Iterator[str]:
    """Yield the lines about the machine."""
    yield environment.words
    if verbose:
        yield from (f"  {line}" for line in [gpu.words for gpu in environment.gpus] or UNSEEN)


def lines(result: RuleResult, width: int, *, verbose: bool) -> Iterator[str]:
    """Yield the lines about a rule, its name padded to a width."""
    count = f"{len(result.replays)} program{'s' * (len(result.replays) != 1)}"
    told = f"{result.decisive.words}{_bracketed(result.decisive.note, _proved(result))}"
    yield f"{result.verdict.name:9}  {result.rule:{width}}  {count:11}  {told}".rstrip()
    for replay in result.replays:
        if verbose:
            yield from _evidence(replay)
        elif replay.verdict is not result.verdict and replay.verdict in {Verdict.SKIPPED, Verdict.REFUTED}:
            yield f"{'':9}  {'':{width}}  {replay.pair.bad.name} {replay.verdict.value}: {replay.words}"


def summary(results: Sequence[RuleResult], seconds: float) -> str:
    """Return the last line."""
    counts = Counter(result.verdict for result in results)
    told = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in reversed(_GRAVEST) if counts[verdict])
    return f"{len(results)} rule{'s' * (len(results) != 1)}: {told or 'nothing to verify'}, in {seconds:.1f} s"


def _proved(result: RuleResult) -> str:
    """Return how many programs are proved if the rule is not."""
    proved = sum(replay.verdict is Verdict.PROVED for replay in result.replays)
    return f"{proved} of {len(result.replays)} proved" if proved and result.verdict is not Verdict.PROVED else ""


def _bracketed(*notes: str) -> str:
    told = [note for note in notes if note]
    return f"  [{'; '.join(told)}]" if told else ""


def _evidence(replay: Replay) -> Iterator[str]:
    """Yield all observations of one program and its twin."""
    pair = replay.pair
    yield f"  {pair.bad.name}, held against {pair.good.name}: {replay.verdict.name}"
    if pair.bad.head.claimed:
        yield f"    claims  {pair.bad.head.claimed}"
    yield f"    seen    {replay.words}{_bracketed(replay.note)}"
    for name, run in (("bad", replay.bad), ("good", replay.good)):
        if run is not None:
            yield f"    {name:6}  {_run_words(run)}"


def _run_words(run: Observation) -> str:
    parts = [f"{run.steps} steps"]
    if run.total_waits:
        parts.append(f"{run.total_waits} waits, {run.total_waits / max(run.steps, 1):.2f} per step")
    if run.rates:
        parts.append(f"{min(run.rates):.0f} to {max(run.rates):.0f} steps/s in {len(run.rates)} runs")
    if run.kept is not None:
        parts.append(f"{run.kept / (1 << 20):.4f} MiB kept per step")
    if run.raised is not None:
        parts.append(f"line {run.raised.line}: {run.raised.words}")
    return ", ".join(parts)


class RunJson(TypedDict):
    """A run of one program."""

    steps: int
    waits: int
    seconds: float
    steps_per_second: list[float]
    kept_bytes_per_step: float | None
    raised: str | None


class ProgramJson(TypedDict):
    """A bad program and its twin."""

    program: str
    twin: str
    claim: str
    verdict: str
    seen: str
    gpus_wanted: int
    bad: RunJson | None
    good: RunJson | None


class RuleJson(TypedDict):
    """The programs of a rule."""

    rule: str
    verdict: str
    seen: str
    programs: list[ProgramJson]


class ReportJson(TypedDict):
    """All results of a run of the verifier."""

    version: int
    torch: str
    python: str
    gpus: list[dict[str, str]]
    rules: list[RuleJson]
    summary: dict[str, int]


def as_json(results: Sequence[RuleResult], environment: Environment) -> ReportJson:
    """Return the report as JSON has it."""
    counts = Counter(result.verdict.value for result in results)
    return {
        "version": 1,
        "torch": environment.torch,
        "python": platform.python_version(),
        "gpus": [{"name": gpu.name, "memory": gpu.memory, "driver": gpu.driver} for gpu in environment.gpus],
        "rules": [*map(_rule_json, results)],
        "summary": {verdict.value: counts[verdict.value] for verdict in Verdict},
    }


def _rule_json(result: RuleResult) -> RuleJson:
    return {
        "rule": result.rule,
        "verdict": result.verdict.value,
        "seen": without_folders(result.decisive.words),
        "programs": [*map(_program_json, result.replays)],
    }


def _program_json(replay: Replay) -> ProgramJson:
    return {
        "program": replay.pair.bad.name,
        "twin": replay.pair.good.name,
        "claim": replay.pair.bad.head.claimed,
        "verdict": replay.verdict.value,
        "seen": without_folders(replay.words),
        "gpus_wanted": replay.wanted,
        "bad": _run_json(replay.bad),
        "good": _run_json(replay.good),
    }


def _run_json(run: Observation | None) -> RunJson | None:
    if run is None:
        return None
    return {
        "steps": run.steps,
        "waits": run.total_waits,
        "seconds": round(run.seconds, 3),
        "steps_per_second": [round(rate, 1) for rate in run.rates],
        "kept_bytes_per_step": run.kept,
        "raised": None if run.raised is None else without_folders(run.raised.words),
    }


def without_folders(words: str) -> str:
    """Return words with files without the folders of this machine: they mean nothing on another."""
    return _FOLDERS.sub("", words)
