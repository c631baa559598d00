"""What has changed in a project since it was last linted, and what is still valid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from torchlint.cache.record import Dependencies, Head, Reported, Tail
from torchlint.cache.snapshot import Snapshot, digest, imports, meaning, read
from torchlint.cache.written import files_in_steps
from torchlint.project.contents import searched, words_in
from torchlint.project.dependencies import ALL_FILES, IndexLookup, bit_of_imports, bit_of_name
from torchlint.project.facts import stale_with
from torchlint.project.sayings import is_found

if TYPE_CHECKING:
    from torchlint.project.facts import FactKey

# Beyond this, to check what is still valid takes about as long as to lint it all.
_MOST_CHANGED = 200
# The prefix of the comments that change what is reported.
_HEEDED = b"torchlint"


@dataclass(frozen=True, slots=True)
class Changed:
    """The files that have changed, by path: their bytes, or None if there are none."""

    contents: Mapping[str, bytes | None]
    digests: list[str]
    """The paths of all current files, in order."""


def changed(head: Head, now: Snapshot) -> Changed:
    """Return which files changed: those with other dates are read, and compared by their bytes."""
    before = {path: number for number, path in enumerate(head.seen.paths)}
    contents: dict[str, bytes | None] = dict.fromkeys(before.keys() - set(now.paths))
    digests: list[str] = []
    for number, path in enumerate(now.paths):
        known = before.get(path)
        dates = now.dates_of(number)
        if known is not None and min(dates) >= 0 and dates == head.seen.dates_of(known):
            digests.append(head.digests[known])
            continue
        data = read(path)
        digests.append("" if data is None else digest(data))
        if data is None or known is None or digests[-1] != head.digests[known]:
            contents[path] = data
    return Changed(contents, digests)


@dataclass(frozen=True, slots=True)
class Standing:
    """What is valid, and the reports that are valid if the facts in doubt are as they were."""

    tail: Tail = field(default_factory=Tail)
    in_doubt: Mapping[str, Dependencies] = field(default_factory=dict[str, "Dependencies"])
    doubted: Mapping[FactKey, bool] = field(default_factory=dict["FactKey", bool])
    """The answers that depend on something that changed, as they were."""


def standing(head: Head, tail: Tail, what: Changed, now: Snapshot) -> Standing:
    """Return what is still valid: reports that depend on nothing that changed, and the text searches, up to date."""
    if len(what.contents) > _MOST_CHANGED or head.seen.passed_over != now.passed_over:
        return Standing()
    places = {path: number for number, path in enumerate(now.paths)}
    before = dict(enumerate(head.seen.paths))
    said = {path: "" if data is None else meaning(path, data) for path, data in what.contents.items()}
    silent = {path for path, now_said in said.items() if now_said and now_said == tail.meanings.get(path)}
    imported = {path: "" if data is None else imports(path, data) for path, data in what.contents.items()}
    gone = sum(1 << number for number, path in before.items() if path in what.contents and path not in silent)
    moved = None if head.seen.paths == now.paths else {number: places.get(path) for number, path in before.items()}
    sought, bits = _sought_now(tail.sought, what, head.seen.paths, places)
    both = set(head.seen.paths).intersection(places)
    for path in what.contents.keys() - both:
        bits |= ALL_FILES | bit_of_name(_name_of(path))
    for path in (one for one, names in imported.items() if names != tail.imports.get(one)):
        bits |= bit_of_imports(path)
    doubted = stale_with(
        tail.facts.values(), {key for key, one in tail.facts.items() if one.files & gone or one.others & bits}
    )
    rests_on = {
        path: (_moved(files, moved), others, facts)
        for path, (files, others, facts) in tail.rests_on.items()
        if not files & gone and not others & bits and _is_as_it_was(head.reports.get(path), path, what, silent)
    }
    valid = {path: one for path, one in rests_on.items() if doubted.isdisjoint(one[2])}
    facts = {key: replace(one, files=_moved(one.files, moved)) for key, one in tail.facts.items() if key not in doubted}
    meanings, imports_of = (
        {path: known[path] for path in now.paths} for known in (tail.meanings | said, tail.imports | imported)
    )
    current = Tail(valid, sought, meanings, imports_of, facts)
    in_doubt = {path: one for path, one in rests_on.items() if path not in valid}
    return Standing(current, in_doubt, {key: tail.facts[key].answer for key in doubted})


def _is_as_it_was(known: Reported | None, path: str, what: Changed, silent: set[str]) -> bool:
    """Tell whether a report that depends on nothing that changed still has the same positions.

    Those in a file that changed have moved, also in the trace of a finding elsewhere.
    """
    if known is None or known.report is None:
        data = what.contents.get(path)
        return path not in what.contents or (path in silent and data is not None and _HEEDED not in data)
    return path not in what.contents and files_in_steps(known.report).isdisjoint(Path(one).name for one in silent)


def _sought_now(
    sought: Iterable[IndexLookup], what: Changed, before: list[str], places: Mapping[str, int]
) -> tuple[tuple[IndexLookup, ...], int]:
    """Return the text searches with their current files, and the bits of those whose files changed."""
    texts = {path: searched(Path(path), data or b"") for path, data in what.contents.items() if path in places}
    words = {path: words_in(data) for path, data in texts.items()}
    numbers = {number: places.get(path) for number, path in enumerate(before)}
    touched = {number for number, path in enumerate(before) if path in what.contents}
    is_moved = any(number != place for number, place in numbers.items())
    found, bits = [], 0
    for one in sought:
        holding = [path for path, data in texts.items() if is_found(one.how, one.texts, data, words[path])]
        held = touched.intersection(one.files)
        if one.how == "any":
            is_same = bool(one.files) == (bool(holding) or len(held) < len(one.files))
        else:
            is_same = {before[number] for number in held} == set(holding)
        bits |= 0 if is_same else one.bit
        if held or holding or is_moved:
            kept = {numbers[number] for number in one.files if number not in held}
            kept.update(places[path] for path in holding)
            found.append(replace(one, files=tuple(sorted(number for number in kept if number is not None))))
        else:
            found.append(one)
    # That no known file contains any of them does not mean that none does: the one that was known is gone.
    return tuple(one for one in found if not (one.how == "any" and one.bit & bits)), bits


def _moved(files: int, to: Mapping[int, int | None] | None) -> int:
    """Return the same files by their new numbers, if these are others; none of them is gone."""
    if to is None:
        return files
    found = 0
    while files:
        lowest = files & -files
        if (place := to[lowest.bit_length() - 1]) is not None:
            found |= 1 << place
        files ^= lowest
    return found


def _name_of(path: str) -> str:
    """Return the last name by which a file is imported."""
    place = PurePath(path)
    return place.parent.name if place.stem == "__init__" else place.stem
