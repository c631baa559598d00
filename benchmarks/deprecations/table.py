"""The rows of the table in `torchlint/pytorch/marked.py`: what the releases say of a name, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from benchmarks.deprecations.marks import How, Mark, marks
from benchmarks.deprecations.signatures import Signature, signatures
from benchmarks.deprecations.sources import Sources

_PUBLIC_ALL_THE_SAME = frozenset({"_pytree"})
"""Private modules that programs import none the less."""
_OF_OTHERS = tuple(
    f"torch.{name}." for name in "testing fx.experimental ao.nn distributed.elastic utils.data.datapipes".split()
)
"""What is called by PyTorch itself, or by tools that extend it."""

Release = tuple[int, int]


@dataclass(frozen=True)
class Reading:
    """What the sources of one release say."""

    release: Release
    names: frozenset[str]
    """The names that a program can import."""
    marked: Mapping[str, Mark]
    """The marks, by the names that programs use."""
    signatures: Mapping[str, Signature]
    """What functions and classes take, by the names that programs use."""


@dataclass(frozen=True, slots=True)
class Row:
    """What all releases say of a name."""

    name: str
    since: Release | None
    """The first release that was read and says that it is deprecated, None if none does."""
    gone: Release | None
    """The first release in which it raises or is absent, None if it still works."""
    how: How
    """What the last release in which it works says."""
    instead: str
    """The replacement that the sources name, empty if they name none that exists."""
    instead_since: Release | None

    def __str__(self) -> str:
        """Return the row as a line of the table."""
        since, gone, instead_since = (_version(one) for one in (self.since, self.gone, self.instead_since))
        return f"{self.name} {self.how} {since} {gone} {self.instead or '-'} {instead_since}".removesuffix(" - -")


def reading(sources: Sources, release: Release) -> Reading:
    """Return what the sources of a release say."""
    exported = _exported(sources)
    found: dict[str, Mark] = {}
    for mark in sorted(marks(sources), key=lambda one: list(How).index(one.how)):
        for name in exported.get(mark.name, ()):
            if mark.how is not How.SILENT and not name.startswith(_OF_OTHERS):
                found.setdefault(name, mark)
    taken = {
        name: signature
        for definition, signature in signatures(sources)
        for name in exported.get(definition, ())
        if not name.startswith(_OF_OTHERS)
    }
    return Reading(release, frozenset(name for names in exported.values() for name in names), found, taken)


def rows(readings: Iterable[Reading], removed: Collection[str] = ()) -> Iterator[Row]:
    """Yield the row of each name that a release marks, and of those that are known to have been removed."""
    ordered = sorted(readings, key=lambda one: one.release)
    marked = {name for one in ordered for name in one.marked}
    for name in sorted({*marked, *removed}):
        working = [one for one in ordered if name in one.names and not _raises(one, name)]
        gone = _after(ordered, working[-1].release) if working else None
        warning = [one.release for one in _last_run(working, name)]
        if not warning and gone is None:
            continue
        instead = next((found for one in reversed(ordered) if (found := _instead(one, ordered[-1], name))), "")
        since = min((one.release for one in ordered if instead in one.names), default=None) if instead else None
        how = working[-1].marked[name].how if warning else How.SILENT
        if gone is not None and any(_raises(one, name) for one in ordered):
            how = How.RAISES
        if not instead and name.rpartition(".")[2].startswith("_") and name not in removed:
            continue
        yield Row(name, min(warning, default=None), gone, how, instead, since)


def _last_run(working: list[Reading], name: str) -> list[Reading]:
    """Return the last releases, one after the other, in which a name works and is marked."""
    unmarked = [at for at, one in enumerate(working) if name not in one.marked]
    return working[unmarked[-1] + 1 :] if unmarked else working


def _after(ordered: list[Reading], release: Release) -> Release | None:
    return next((one.release for one in ordered if one.release > release), None)


def _raises(reading: Reading, name: str) -> bool:
    mark = reading.marked.get(name)
    return mark is not None and mark.how is How.RAISES


def _instead(reading: Reading, newest: Reading, name: str) -> str:
    """Return the first replacement that a mark names and that the newest release has, by its full name."""
    mark = reading.marked.get(name)
    module = name.rpartition(".")[0]
    for text in mark.instead if mark is not None else ():
        for full in (f"{module}.{text}", f"torch.{text}", text):
            if full in newest.names and full != name and full not in newest.marked:
                return full
    return ""


def _exported(sources: Sources) -> dict[str, list[str]]:
    """Return the names that a program can import for each definition: where it is defined, listed, or in a package."""
    found: dict[str, list[str]] = {}
    for name, module in sources.modules.items():
        if not _is_public(name):
            continue
        found.setdefault(name, []).append(name)
        for word, definition in sources.exports[name].items():
            is_own = definition == f"{name}.{word}"
            is_listed = module.listed is not None and word in module.listed
            is_ours = definition.partition(".")[0] in sources.packages
            if is_own or is_listed or (module.is_package and is_ours):
                found.setdefault(definition, []).append(f"{name}.{word}")
    return found


def _is_public(module: str) -> bool:
    return all(part in _PUBLIC_ALL_THE_SAME or not part.startswith("_") for part in module.split("."))


def _version(release: Release | None) -> str:
    return f"{release[0]}.{release[1]}" if release is not None else "-"
