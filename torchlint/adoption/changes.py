"""Which lines have changed between a commit, as git has it, and the files on disk."""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from torchlint.adoption.repository import Repository, changed_lines
from torchlint.errors import UsageError
from torchlint.files.display_path import shown
from torchlint.files.regular import read_regular
from torchlint.finding import Span

_UNSHALLOW = """
  tip: this is a shallow clone: `git fetch --unshallow` completes it
  tip: `actions/checkout` does with `fetch-depth: 0`, and a job of GitLab with `GIT_DEPTH: 0`"""
_MOST_GONE = 1_000
# Git's own threshold for the similarity of a renamed file.
_ALIKE = 0.5
_STORED_ELSEWHERE = b"version https://git-lfs.github.com/spec/"


class Changes:
    """The changed lines of a repository's files; a file that git does not track has changed throughout."""

    def __init__(self, repository: Repository, base: str, reference: str) -> None:
        self._repository = repository
        self._reference = reference
        self._base = repository.files_of(base)
        self._tracked = repository.tracked()
        self._of_others = frozenset(_files_of_others(repository, self._tracked))
        self._known: dict[tuple[str, int, int], tuple[range, ...] | None] = {}

    def touch(self, path: Path, span: Span) -> bool:
        """Tell whether a span of a file has a line that has changed."""
        name = os.path.realpath(path)
        if name in self._of_others:
            return False
        changed = self._changed(name)
        if changed is None:
            return True
        index = bisect_right(changed, span.end_line, key=lambda lines: lines.start) - 1
        return index >= 0 and changed[index].stop > span.line

    def _changed(self, name: str) -> tuple[range, ...] | None:
        """Return the changed lines of the current file, None if all have changed."""
        try:
            now = os.stat(name)  # noqa: PTH116 -- as names, not as paths
            key = (name, now.st_mtime_ns, now.st_size)
            if key not in self._known:
                self._known[key] = self._compared(name, read_regular(name))
        except OSError:
            return None
        return self._known[key]

    def _compared(self, path: str, data: bytes) -> tuple[range, ...] | None:
        top = os.path.join(self._repository.top, "")  # noqa: PTH118
        name = os.fsencode(path.removeprefix(top).replace(os.sep, "/"))
        if not path.startswith(top) or name not in self._tracked:
            return None
        before = self._before(name, data)
        if before is None or before.startswith(_STORED_ELSEWHERE):
            return () if before and _digest_in(before, data) else None
        # The line endings depend on the machine that it is checked out on.
        before, now = _lines(before), _lines(data)
        return () if before == now else changed_lines(before, now)

    def _before(self, name: bytes, data: bytes) -> bytes | None:
        """Return the contents of a file at the commit, under this name or another, None if it did not exist."""
        if (blob := self._base.get(name)) is None:
            return self._moved(name, data)
        if any(_name_of(one, blob) == blob for one in (data, data.replace(b"\r\n", b"\n"))):
            return data
        if (before := self._repository.blobs([blob]).get(blob)) is None:
            where, reference = os.fsdecode(name), self._reference
            raise UsageError(
                f"{where} as it was in `{reference}` is not in this partial clone: `git diff {reference}` fetches it"
            )
        return before

    def _moved(self, name: bytes, data: bytes) -> bytes | None:
        """Return the contents of the deleted file that is most similar to a new one."""
        suffix, lines = os.path.splitext(name)[1], _weighed(data)  # noqa: PTH122 -- bytes
        found = (
            (_likeness(lines, others), text)
            for (gone, text), others in zip(self._gone.items(), self._gone_lines, strict=True)
            if gone.endswith(suffix)
        )
        likeness, text = max(found, key=lambda one: one[0], default=(0.0, b""))
        return text if likeness >= _ALIKE else None

    @cached_property
    def _gone(self) -> dict[bytes, bytes]:
        """Return the contents of the files that were deleted, by their names."""
        top = os.fsencode(self._repository.top)
        gone = [name for name in self._base if name not in self._tracked or not os.path.lexists(top + b"/" + name)]
        del gone[_MOST_GONE:]
        blobs = self._repository.blobs(self._base[name] for name in gone)
        return {name: blobs[blob] for name in gone if (blob := self._base[name]) in blobs}

    @cached_property
    def _gone_lines(self) -> list[Counter[bytes]]:
        return [_weighed(text) for text in self._gone.values()]


def changes_since(reference: str, folder: Path) -> Changes:
    """Return the changes in the repository around a folder since its branch forked from that of a commit."""
    repository = Repository(folder)
    if (commit := repository.commit(reference)) is None:
        where = shown(repository.top)
        raise UsageError(
            f"git finds no commit `{reference}` in {where}: name one for --diff-base, or fetch it{_how(repository)}"
        )
    if (fork := repository.fork(commit)) is None:
        unrelated = f"`{reference}` and what is checked out have no commit in common: fetch more of their history"
        raise UsageError(unrelated + _how(repository))
    return Changes(repository, fork, reference)


def _how(repository: Repository) -> str:
    """Return how to fetch what a shallow clone lacks."""
    return _UNSHALLOW if repository.is_shallow() else ""


def _files_of_others(repository: Repository, tracked: dict[bytes, bool]) -> Iterator[str]:
    """Yield the files in the index of a submodule, and of nested ones."""
    waiting, seen = [(repository, tracked)], {repository.top}
    while waiting:
        outer, names = waiting.pop()
        for name in (name for name, is_other in names.items() if is_other):
            inner = Repository(outer.top / os.fsdecode(name))
            # One that was not fetched is a folder of the repository around it.
            if inner.top in seen:
                continue
            seen.add(inner.top)
            waiting.append((inner, found := inner.tracked()))
            yield from (os.path.realpath(inner.top / os.fsdecode(one)) for one in found)


def _name_of(data: bytes, like: str) -> str:
    """Return git's hash of these bytes, of the same kind as another one."""
    name = hashlib.new("sha1" if len(like) == 40 else "sha256", usedforsecurity=False)
    name.update(b"blob %d\0" % len(data))
    name.update(data)
    return name.hexdigest()


def _digest_in(pointer: bytes, data: bytes) -> bool:
    """Tell whether a pointer of Git LFS is for these bytes."""
    return f"oid sha256:{hashlib.sha256(data).hexdigest()}".encode() in pointer.split(b"\n")


def _lines(data: bytes) -> bytes:
    """Return a text with newlines as Python has them."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _weighed(data: bytes) -> Counter[bytes]:
    """Return how many bytes each line of a text has in total."""
    weights: Counter[bytes] = Counter()
    for line in _lines(data).splitlines():
        weights[line] += len(line) + 1
    return weights


def _likeness(one: Counter[bytes], other: Counter[bytes]) -> float:
    """Return which part of the larger of two texts is in the other, too."""
    most = max(one.total(), other.total())
    return sum(min(weight, other[line]) for line, weight in one.items()) / most if most else 0.0
