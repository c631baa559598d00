"""Lint the files of one project, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from torchlint.engine.enabled_rules import EnabledRules
from torchlint.engine.failures import file_failed, rule_failed
from torchlint.engine.job import Job, Target, is_named, location
from torchlint.engine.news import News
from torchlint.engine.notices import unreadable
from torchlint.engine.prefilter import Prefilter
from torchlint.engine.tracked_report import READING, TrackedReport
from torchlint.errors import RunError, in_words
from torchlint.files.notebook_names import is_notebook
from torchlint.files.regular import read_regular
from torchlint.finding import Finding, Severity, Span
from torchlint.notices import NOTICES
from torchlint.older import as_written
from torchlint.project.library import Library
from torchlint.registry import renamed_rules
from torchlint.report import FileReport
from torchlint.rule import Rule
from torchlint.source import (
    OtherLanguageError,
    Source,
    UnreadableSourceError,
    parse,
    read_source,
    readable_lines,
)
from torchlint.steps import FOR_A_FILE, FOR_A_RULE, BudgetSpentError
from torchlint.suppression import suppress

if TYPE_CHECKING:
    from torchlint.model import Project, SourceFile
    from torchlint.notebook.layout import Notebook

_START = Span(1, 1, 1, 2)


@dataclass(slots=True)
class _Asked:
    """The results of the rules for a file."""

    findings: list[Finding] = field(default_factory=list["Finding"])
    errors: list[RunError] = field(default_factory=list["RunError"])
    incomplete: list[str] = field(default_factory=list[str])
    unfinished: set[str] = field(default_factory=set[str])
    """The rules that were stopped or failed: that they found nothing means nothing."""


class Linter:
    """Lints for one job; what it computes about the project serves every file, and changes no report."""

    def __init__(self, job: Job, edited: Mapping[Path, bytes] | None = None) -> None:
        self._job = job
        self._edited = {Path(location(path)): data for path, data in (edited or {}).items()}
        self._names = {Path(path): shown for path, shown in job.names.items()}
        self._library = Library(job.root, self._names, self._edited, job.sought)
        self.news = News(self._library)
        self._seconds: dict[str, float] = {}
        self.named = set(job.named)
        """The files that are parsed even where no rule has anything to look for in them."""
        self.steps: dict[str, int] = {}
        """The steps that each rule took in the last file."""
        self._prefilter = Prefilter(job.rules, self._library)
        self._enabled = EnabledRules(job.rules)

    def noted(self, target: Target) -> TrackedReport:
        """Return the report of a file, and what it depends on in the project."""
        library = self._library
        library.dependencies.current = 0
        self._seconds = {}
        report = self.lint(target)
        files, others, facts = library.facts.parts(library.dependencies.current)
        rests_on, news = files | others << library.size, self.news
        found = (news.searches(), self._seconds, facts, news.facts())
        return TrackedReport(report, rests_on, library.size, *found)

    def lint(self, target: Target) -> FileReport:
        """Return the report of a file."""
        path, shown = Path(location(target.path)), target.shown
        try:
            data = self._edited[path] if path in self._edited else read_regular(path)
        except OSError as error:
            finding = unreadable(shown, _START, f"cannot be read: {in_words(error)}")
            return FileReport(shown, self._wanted(path, [finding]))
        try:
            return self._report(path, shown, data, is_named_itself=target.path in self.named)
        except OtherLanguageError as error:
            return FileReport(shown, left_out=error.reason)
        except UnreadableSourceError as error:
            return self._unreadable(path, shown, data, error)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the other files are to be linted
            return FileReport(shown, errors=(file_failed(shown, error, traceback=self._job.traceback),))

    def _report(self, location: Path, shown: str, data: bytes, *, is_named_itself: bool) -> FileReport:
        ignored = self._job.ignored_in(location)
        # The images of a notebook contain words without meaning, and its metadata is elsewhere.
        rules = self._rules(read_source(shown, data).text.encode() if is_notebook(shown) else data, ignored)
        if not rules and not is_named_itself and not (self._job.respects_comments and b"torchlint" in data.lower()):
            return FileReport(shown)
        asked = _Asked()
        if rules:
            started = perf_counter()
            self._project.make_room()
            file = self._project.open(location, shown, data)
            self._seconds[READING] = perf_counter() - started
            source, asked = file.source, self._asked(rules, file)
        else:
            source = read_source(shown, data)
            if is_named_itself:
                parse(source)
        remaining, suppressed = self._unsuppressed(shown, source.text, asked, ignored)
        wanted = self._wanted(location, remaining)
        lines = tuple(source.text.split("\n")) if wanted else ()
        notebooks = self._notebooks(wanted, source)
        errors, incomplete = tuple(asked.errors), tuple(asked.incomplete)
        return FileReport(shown, wanted, errors, suppressed, lines, notebooks=notebooks, incomplete=incomplete)

    def _asked(self, rules: Iterable[Rule], file: SourceFile) -> _Asked:
        """Return the findings of rules in a file, and which of the rules did not complete."""
        asked, left = _Asked(), FOR_A_FILE
        self.steps = {}
        steps = self._library.steps
        try:
            for rule in rules:
                steps.allow(min(FOR_A_RULE, left))
                self._check(rule, file, asked)
                self.steps[rule.name] = steps.taken
                left -= steps.taken
            if asked.findings:
                from torchlint.engine.never_run import that_runs
                from torchlint.engine.on_purpose import not_on_purpose

                steps.allow(FOR_A_RULE)
                asked.findings = list(not_on_purpose(that_runs(asked.findings, file), file))
        finally:
            self._project.discard_provisional()
        return asked

    def _unsuppressed(
        self, shown: str, text: str, asked: _Asked, ignored: frozenset[str]
    ) -> tuple[Sequence[Finding], int]:
        """Return the findings that no comment suppresses, if comments are used, and the number of those suppressed."""
        if not self._job.respects_comments:
            return asked.findings, 0
        ran = self._enabled.completed(ignored, asked.unfinished)
        return suppress(shown, text, asked.findings, self._enabled.known, ran, renamed_rules())

    @cached_property
    def _project(self) -> Project:
        """Return the model of the project; it is loaded only for files that a rule applies to."""
        from torchlint.model.project import Project

        job = self._job
        requirements = job.companions, job.nested
        return Project(job.root, job.target_torch, self._names, self._edited, self._library, *requirements)

    def _rules(self, data: bytes, ignored: frozenset[str]) -> list[Rule]:
        """Return the rules that are enabled in a file and that some code of it may concern."""
        enabled = self._enabled.but_for(ignored)
        return [rule for rule in self._prefilter.rules_for(data) if rule.name in enabled]

    def _unreadable(self, location: Path, shown: str, data: bytes, error: UnreadableSourceError) -> FileReport:
        """Return the report of a file that Python cannot read: its findings are those in what can be read."""
        source, older = _notebook_in(shown, data), self._as_older(location, shown, data)
        # Cells are run one by one, and exercises have blanks to fill in.
        severity = Severity.INFO if source else Severity.ERROR
        places = ((error.span, error.reason), *error.others)
        told = [unreadable(shown, span, reason, severity) for span, reason in places]
        wanted = self._wanted(location, [*told, *older.findings])
        if not wanted:
            return older
        if source is None:
            return replace(older, findings=wanted, lines=tuple(readable_lines(data)))
        notebooks = {shown: source.notebook} if source.notebook else {}
        return replace(older, findings=wanted, lines=tuple(source.text.split("\n")), notebooks=notebooks)

    def _as_older(self, location: Path, shown: str, data: bytes) -> FileReport:
        """Return the findings of rules in a file that only an older Python reads; it is not fixed until all can."""
        ignored = self._job.ignored_in(location)
        rules = self._rules(data, ignored)
        file = self._project.opened_as_older(location, shown, data) if rules else None
        if file is None:
            return FileReport(shown)
        asked = self._asked(rules, file)
        remaining, suppressed = self._unsuppressed(shown, file.source.text, asked, ignored)
        unfixed = tuple(replace(one, fix=None, message=as_written(one.message)) for one in remaining)
        return FileReport(shown, unfixed, tuple(asked.errors), suppressed, incomplete=tuple(asked.incomplete))

    def _notebooks(self, findings: Iterable[Finding], source: Source) -> dict[str, Notebook]:
        """Return the notebooks that findings of a file point into."""
        paths = {path for one in findings for path in (one.path, *(step.path for step in one.trace))}
        found = ((path, self._notebook(path, source)) for path in sorted(paths) if is_notebook(path))
        return {path: notebook for path, notebook in found if notebook is not None}

    def _notebook(self, path: str, source: Source) -> Notebook | None:
        return source.notebook if path == source.path else self._project.notebook_called(path)

    def _check(self, rule: Rule, file: SourceFile, asked: _Asked) -> None:
        """Add the findings of a rule, or why it was stopped: what it found before its steps were spent is dropped."""
        started, before = perf_counter(), len(asked.findings)
        try:
            asked.findings.extend(rule.check(file))
        except BudgetSpentError:
            del asked.findings[before:]
            asked.incomplete.append(rule.name)
            asked.unfinished.add(rule.name)
            self._project.discard_provisional()
        except Exception as error:  # noqa: BLE001 -- a rule may be anybody's
            asked.errors.append(rule_failed(rule, file.path, error, traceback=self._job.traceback))
            asked.unfinished.add(rule.name)
            self._project.discard_provisional()
        finally:
            self._seconds[rule.name] = perf_counter() - started

    def _wanted(self, path: Path, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return findings in order, without those of the engine itself that are disabled in this file."""
        ignored = self._job.ignored_in(path)
        wanted = (one for one in findings if one.rule not in NOTICES or not is_named(ignored, one.rule, one.group))
        return tuple(sorted(wanted, key=lambda finding: finding.order))


def _notebook_in(shown: str, data: bytes) -> Source | None:
    """Return a notebook whose cells may be no Python, None for what is no notebook."""
    if not is_notebook(shown):
        return None
    try:
        return read_source(shown, data)
    except UnreadableSourceError:
        return None
