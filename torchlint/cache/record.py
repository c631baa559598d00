"""What is kept of a job: the state of its project, the reports, and what they depend on."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from torchlint.cache.folder import Folder
from torchlint.cache.snapshot import Snapshot
from torchlint.cache.written import Json, MalformedError, number, numbers, parts, sequence, text, texts

if TYPE_CHECKING:
    from torchlint.project.dependencies import How, IndexLookup
    from torchlint.project.facts import Fact, FactKey

_NUMBERS = "I"
Dependencies: TypeAlias = "tuple[int, int, tuple[FactKey, ...]]"
"""Files, other bits, and facts."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A report as it is written, and whether the user had named its file."""

    named: bool = False
    report: Json = None


_NOTHING = Reported()


@dataclass(frozen=True, slots=True)
class Head:
    """The state of a project, digests of its files by number, and the reports by the paths of their files."""

    seen: Snapshot
    digests: list[str]
    reports: dict[str, Reported]


@dataclass(frozen=True, slots=True)
class Tail:
    """What each report depends on: files, other bits and facts, which depend on the same; and the text searches.

    `meanings` and `imports` are of every file, by path: another report may depend on all that a file means, or only on
    its imports.
    """

    rests_on: dict[str, Dependencies] = field(default_factory=dict[str, "Dependencies"])
    sought: tuple[IndexLookup, ...] = ()
    meanings: dict[str, str] = field(default_factory=dict[str, str])
    imports: dict[str, str] = field(default_factory=dict[str, str])
    facts: dict[FactKey, Fact] = field(default_factory=dict["FactKey", "Fact"])


def kept(folder: Folder, key: str) -> tuple[bytes, Head] | None:
    """Return the head of an entry, and its bytes; None if it is missing or malformed."""
    data = folder.head(key)
    try:
        return (data, _head(_parsed(data))) if data is not None else None
    except MalformedError:
        return None


def tail_of(folder: Folder, key: str, data: bytes, head: Head) -> Tail | None:
    """Return the tail of an entry; None if it is gone."""
    rest = folder.tail(key, data)
    try:
        return _tail(_parsed(rest), head.seen.paths) if rest is not None else None
    except MalformedError:
        return None


def keep(folder: Folder, key: str, head: Head, tail: Tail) -> None:
    """Write everything that is known of a job."""
    seen = head.seen
    numbers_of = {path: number for number, path in enumerate(seen.paths)}
    # Most files have no findings, and short entries are read faster.
    nothing = [numbers_of[path] for path, one in head.reports.items() if one == _NOTHING]
    reports = [[numbers_of[path], one.named, one.report] for path, one in head.reports.items() if one != _NOTHING]
    first = [seen.paths, seen.dates, seen.passed_over, head.digests, nothing, reports]
    places = {fact: number for number, fact in enumerate(tail.facts)}
    rests_on = [[path, *_written(*parts, places)] for path, parts in tail.rests_on.items()]
    facts = [[*one.key, one.answer, *_written(one.files, one.others, one.facts, places)] for one in tail.facts.values()]
    sought = [[one.texts, array(_NUMBERS, one.files).tobytes().hex(), one.how] for one in tail.sought]
    said = [[by_path[path] for path in seen.paths] for by_path in (tail.meanings, tail.imports)]
    rest = [rests_on, sought, *said, facts]
    folder.keep(key, json.dumps(first).encode(), json.dumps(rest).encode())


def _written(files: int, others: int, facts: tuple[FactKey, ...], places: Mapping[FactKey, int]) -> list[Json]:
    return [f"{files:x}", f"{others:x}", [places[fact] for fact in facts]]


def _parsed(data: bytes) -> Json:
    try:
        found: Json = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise MalformedError from error
    return found


def _head(value: Json) -> Head:
    paths, dates, passed_over, digests, nothing, reports = parts(value, 6)
    seen = Snapshot(texts(paths), numbers(dates), texts(passed_over))
    if len(seen.dates) != 3 * len(seen.paths) or len(sequence(digests)) != len(seen.paths):
        raise MalformedError
    try:
        found = {seen.paths[place]: _NOTHING for place in numbers(nothing)}
        for place, named, report in (parts(one, 3) for one in sequence(reports)):
            found[seen.paths[number(place)]] = Reported(named is True, report)
    except IndexError as error:
        raise MalformedError from error
    return Head(seen, texts(digests), found)


def _tail(value: Json, paths: list[str]) -> Tail:
    from torchlint.project.dependencies import IndexLookup
    from torchlint.project.facts import Fact

    rests_on, sought, meanings, imports, facts = parts(value, 5)
    asked = (parts(one, 3) for one in sequence(sought))
    answered = [parts(one, 6) for one in sequence(facts)]
    keys = [(text(name), text(about)) for name, about, *_ in answered]
    try:
        return Tail(
            {text(path): _read(others, keys) for path, *others in (parts(one, 4) for one in sequence(rests_on))},
            tuple(
                IndexLookup(tuple(texts(words)), tuple(array(_NUMBERS, bytes.fromhex(text(files)))), _how(how))
                for words, files, how in asked
            ),
            dict(zip(paths, texts(meanings), strict=True)),
            dict(zip(paths, texts(imports), strict=True)),
            {
                key: Fact(key, answer is True, *_read(others, keys))
                for key, (_, _, answer, *others) in zip(keys, answered, strict=True)
            },
        )
    except (ValueError, IndexError) as error:
        raise MalformedError from error


def _read(value: list[Json], keys: Sequence[FactKey]) -> Dependencies:
    """Return files, other bits and facts that were written."""
    files, others, facts = value
    return int(text(files), 16), int(text(others), 16), tuple(keys[number] for number in numbers(facts))


def _how(value: Json) -> How:
    from torchlint.project.dependencies import WAYS

    for how in WAYS:
        if how == value:
            return how
    raise MalformedError
