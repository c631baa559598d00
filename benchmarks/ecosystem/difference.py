"""What one torchlint says of a subject and another does not, and where it takes more or fewer steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.ecosystem.said import Entry, Said


@dataclass(frozen=True, slots=True)
class Difference:
    """What came, what went, and what is said in other words by the same rule at the same place, before and after."""

    came: tuple[Entry, ...]
    went: tuple[Entry, ...]
    changed: tuple[tuple[Entry, Entry], ...]

    def __bool__(self) -> bool:
        """Tell whether anything differs."""
        return bool(self.came or self.went or self.changed)

    @property
    def summary(self) -> str:
        """Return how much differs."""
        return f"{len(self.came)} came, {len(self.went)} went, {len(self.changed)} changed"

    @property
    def lines(self) -> Iterator[str]:
        """Yield all that differs, rule by rule, with as much of the text as is known."""
        marked = [(entry.name, f"+ {entry.full}") for entry in self.came]
        marked += [(entry.name, f"- {entry.full}") for entry in self.went]
        marked += [(after.name, _both(before, after)) for before, after in self.changed]
        # The sort is stable: of one rule, what came is before what went.
        yield from (text for _, text in sorted(marked, key=lambda pair: pair[0]))


def difference(before: Said, after: Said) -> Difference:
    """Compare what is said by rule and place, and there by all that is said."""
    old, new = _by_place(before), _by_place(after)
    came: list[Entry] = []
    went: list[Entry] = []
    changed: list[tuple[Entry, Entry]] = []
    for key in dict.fromkeys([*old, *new]):
        less, more = _without(old[key], new[key]), _without(new[key], old[key])
        pairs = min(len(less), len(more))
        changed += zip(less[:pairs], more[:pairs], strict=True)
        went += less[pairs:]
        came += more[pairs:]
    return Difference(tuple(came), tuple(went), tuple(changed))


def steps_changed(before: Said, after: Said, percent: float) -> Iterator[str]:
    """Yield the rules whose steps changed by more than some percent, and always all rules together."""
    if before.steps is None or after.steps is None:
        yield "steps: not counted before" if before.steps is None else "steps: not counted"
        return
    for rule in sorted(before.steps.keys() | after.steps.keys()):
        old, new = before.steps.get(rule, 0), after.steps.get(rule, 0)
        if abs(new - old) * 100 > percent * old:
            yield f"steps {rule}: {_change(old, new)}"
    yield f"steps: {_change(sum(before.steps.values()), sum(after.steps.values()))}"


def _by_place(said: Said) -> dict[tuple[str, str], list[Entry]]:
    entries: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in said.entries:
        entries[entry.name, entry.place].append(entry)
    return entries


def _without(entries: list[Entry], others: list[Entry]) -> list[Entry]:
    """Return the entries that are not among others, each of which stands for one."""
    left = [entry.digest for entry in others]
    kept: list[Entry] = []
    for entry in entries:
        if entry.digest in left:
            left.remove(entry.digest)
        else:
            kept.append(entry)
    return kept


def _both(before: Entry, after: Entry) -> str:
    return f"~ {after.full}" + (f"\n  before: {before.full}" if before.text else "")


def _change(old: int, new: int) -> str:
    share = f"{100 * (new - old) / old:+.1f} %" if old else "new"
    return f"{old:,} -> {new:,} ({share})"
