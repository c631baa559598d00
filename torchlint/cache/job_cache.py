"""The cache of one job: what is still valid of it, what is left to lint, and what to keep for the next run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.cache.folder import Folder
from torchlint.cache.key import key_of
from torchlint.cache.record import Head, Reported, Tail, keep, kept, tail_of
from torchlint.cache.snapshot import Snapshot, digest, imports, meaning, read, snapshot
from torchlint.cache.written import MalformedError, read_report, rules_in, written
from torchlint.engine import Job, Target, TrackedReport, location
from torchlint.notices import UNREADABLE_SOURCE
from torchlint.report import FileReport

if TYPE_CHECKING:
    from torchlint.cache.changes import Standing
    from torchlint.engine.asking_linter import AskingLinter


class JobCache:
    """Knows of each file of a job whether its report is valid."""

    def __init__(self, job: Job, folder: Folder) -> None:
        self.left = job
        self._job = job
        self._folder = folder
        self._names = job.names
        self._key = key_of(job, self._names)
        self._paths = {shown: path for path, shown in self._names.items()}
        self._named = frozenset(map(location, job.named))
        self._now: Snapshot | None = None
        self._digests: list[str] | None = None
        self._reports: dict[str, Reported] = {}
        self._tail = Tail()
        self._learned: list[TrackedReport] = []
        self._is_news = False
        self.linter: AskingLinter | None = None
        """What has asked for facts about the project already, if anything has."""

    def standing(self) -> Iterator[FileReport]:
        """Yield the reports that linting would repeat; `left` is then what there is to lint."""
        if self._key is None:
            return
        self._now = snapshot(str(self._job.root.absolute()), self._names)
        self._look_up(self._folder, self._key, self._now)
        numbers = {path: number for number, path in enumerate(self._now.paths)} if self._reports else {}
        left: list[Target] = []
        for target in self._job.targets:
            path = self._paths[target.shown]
            known = self._reports.get(path)
            if known is not None and known.named == (path in self._named) and self._digests is not None:
                report = _read(known, path, target.shown, self._digests[numbers[path]])
                if report is not None and report.path == target.shown:
                    yield report
                    continue
            self._reports.pop(path, None)
            left.append(target)
        shown = {target.shown for target in left}
        others = tuple(target for target in self._job.targets if target.shown not in shown)
        self._is_news = self._is_news or bool(left)
        self.left = replace(self._job, targets=tuple(left), others=others, sought=self._tail.sought)

    def learn(self, noted: TrackedReport) -> None:
        """Note a new report."""
        self._learned.append(noted)

    def keep(self) -> None:
        """Write the cache, unless the project changed while it was linted: the reports may be about either state."""
        if self._key is None or self._now is None or not self._is_news:
            return
        now = self._now
        again = snapshot(str(self._job.root.absolute()), self._names)
        if (again.paths, again.passed_over) != (now.paths, now.passed_over):
            return
        if list(map(abs, again.dates)) != list(map(abs, now.dates)):
            return
        rests_on = {path: self._tail.rests_on[path] for path in self._reports if path in self._tail.rests_on}
        sought = {one.key: one for one in self._tail.sought}
        facts = dict(self._tail.facts)
        for noted in self._learned:
            path = self._paths[noted.report.path]
            sought.update({one.key: one for one in noted.sought})
            facts.update({one.key: one for one in noted.learned})
            if noted.files == len(now.paths) and _can_be_kept(noted):
                self._reports[path] = Reported(path in self._named, written(noted.report))
                files, others = noted.rests_on & ((1 << noted.files) - 1), noted.rests_on >> noted.files
                rests_on[path] = files, others, noted.facts
        digests, meanings, imported = self._said(now)
        tail = Tail(rests_on, tuple(sought.values()), meanings, imported, facts)
        keep(self._folder, self._key, Head(now, digests, self._reports), tail)

    def _said(self, now: Snapshot) -> tuple[list[str], dict[str, str], dict[str, str]]:
        """Return digests of the bytes of all files, of what others can see of them, and of their imports."""
        if self._digests is not None and self._tail.meanings:
            return self._digests, self._tail.meanings, self._tail.imports
        digests: list[str] = []
        meanings: dict[str, str] = {}
        imported: dict[str, str] = {}
        for path in now.paths:
            data = read(path)
            digests.append("" if data is None else digest(data))
            meanings[path] = "" if data is None else meaning(path, data)
            imported[path] = "" if data is None else imports(path, data)
        return digests, meanings, imported

    def _are_all_in(self, head: Head) -> bool:
        known = ((path, head.reports.get(path)) for path in (self._paths[one.shown] for one in self._job.targets))
        return all(one is not None and one.named == (path in self._named) for path, one in known)

    def _look_up(self, folder: Folder, key: str, now: Snapshot) -> None:
        if (found := kept(folder, key)) is None:
            return
        data, head = found
        if head.seen == now and min(now.dates, default=0) >= 0 and self._are_all_in(head):
            self._digests, self._reports = head.digests, head.reports
            return
        self._is_news = True
        from torchlint.cache.changes import changed, standing

        if (tail := tail_of(folder, key, data, head)) is None:
            return
        what = changed(head, now)
        try:
            valid = standing(head, tail, what, now)
        except MalformedError:
            return
        self._digests, self._tail = what.digests, valid.tail
        self._resolve_doubts(valid, now)
        self._reports = {path: one for path, one in head.reports.items() if path in self._tail.rests_on}

    def _resolve_doubts(self, found: Standing, now: Snapshot) -> None:
        """Ask for the facts that depend on something that changed: where they are as they were, reports are valid."""
        wanted = (self._paths[target.shown] for target in self._job.targets)
        keys = {key for path in wanted if path in found.in_doubt for key in found.in_doubt[path][2]}
        if not (asked := sorted(keys & found.doubted.keys())):
            return
        from torchlint.engine.asking_linter import AskingLinter

        self.linter = AskingLinter(replace(self._job, sought=self._tail.sought))
        facts, sought = self.linter.ask_again(asked)
        if self.linter.size != len(now.paths):
            return
        others = {key for key in found.doubted if key not in facts or facts[key].answer is not found.doubted[key]}
        valid = {path: one for path, one in found.in_doubt.items() if others.isdisjoint(one[2])}
        searched = {one.key: one for one in (*self._tail.sought, *sought)}
        self._tail = replace(
            self._tail,
            rests_on=self._tail.rests_on | valid,
            sought=tuple(searched.values()),
            facts=self._tail.facts | facts,
        )


def _can_be_kept(noted: TrackedReport) -> bool:
    """Tell whether a report stays the same as long as its project does; of notebooks, too much is not written."""
    return not (
        noted.report.errors or noted.report.incomplete or noted.report.notebooks or noted.is_of_more_than_the_project
    )


def _read(known: Reported, path: str, shown: str, expected: str) -> FileReport | None:
    """Return a report with the lines of its file, None if these are others than it is about."""
    if known.report is None:
        return FileReport(shown)
    from torchlint.source import UnreadableSourceError, read_source, readable_lines

    try:
        rules = rules_in(known.report)
        if not rules:
            return read_report(known.report, ())
        data = read(path)
        if data is None or digest(data) != expected:
            return None
        is_source = UNREADABLE_SOURCE not in rules
        lines = read_source(path, data).text.split("\n") if is_source else readable_lines(data)
        return read_report(known.report, tuple(lines))
    except (MalformedError, UnreadableSourceError):
        return None
