"""`torchlint migrate`: show or write what becomes of comments and settings for other linters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from torchlint.cli.collect import looked_for
from torchlint.cli.configs import Configs
from torchlint.cli.exits import CLEAN, FAILED, FINDINGS
from torchlint.cli.fixing import no_room, shown
from torchlint.cli.options import LintOptions
from torchlint.cli.plan import Plan
from torchlint.engine import Job, Target, lint
from torchlint.errors import in_words
from torchlint.files.atomic_write import write_whole
from torchlint.files.existence import is_folder, is_present
from torchlint.files.regular import read_regular
from torchlint.fixing import FixedFile, NoRoomError, NotWrittenError, write
from torchlint.fixing.draft import CannotBeKeptError
from torchlint.migration import CODES, leads_out, mentions_codes, migrated, migrated_settings
from torchlint.notices import UNREADABLE_SOURCE
from torchlint.output import OutputSettings
from torchlint.output.summary import counted
from torchlint.report import FileReport
from torchlint.rule import Rule
from torchlint.selection import chosen_rules
from torchlint.source import UnreadableSourceError
from torchlint.terminal import streams
from torchlint.terminal.capabilities import wants_color
from torchlint.terminal.streams import tell
from torchlint.terminal.text import printable

_MOST_PLACES = 5


@dataclass(slots=True)
class _Migration:
    """What a run changes and notes; `has_failed` tells whether anything could not be done."""

    changes: list[FixedFile] = field(default_factory=list[FixedFile])
    left: set[str] = field(default_factory=set[str])
    idle: list[str] = field(default_factory=list[str])
    has_failed: bool = False

    def refuse(self, shown: str, reason: str) -> None:
        """Report a file that was not changed."""
        tell(f"warning: {shown} was not changed: {reason}")
        self.has_failed = True


def migrate(paths: Sequence[str], *, writes: bool, quiet: bool, color: bool | None) -> int:
    """Show the changes as a diff, or write them, and return the exit code: 1 if there is a diff."""
    options = LintOptions(paths=tuple(paths), cache=False, quiet=quiet)
    plan = looked_for(options, Configs(options))
    done = _Migration(has_failed=bool(plan.missing or plan.errors))
    _of_comments(plan, done)
    for folder in dict.fromkeys(Path(path) for path in paths if is_folder(path)):
        _of_settings(folder, done)
    if writes:
        _write(done)
    else:
        streams.write(shown(done.changes, OutputSettings(color=wants_color(color))))
    if not quiet:
        _tell_notes(done, "Changed" if writes else "Would change")
        if not (done.changes or done.left or done.idle or done.has_failed):
            tell("note: nothing to migrate")
    if done.has_failed:
        return FAILED
    return FINDINGS if done.changes and not writes else CLEAN


def _of_comments(plan: Plan, done: _Migration) -> None:
    """Migrate the comments of the files of a plan."""
    contents = dict(_mentioning(plan.jobs, done))
    if not contents:
        return
    reports = _reports(plan.jobs, contents)
    for job in plan.jobs:
        for target in job.targets:
            if target.path in contents:
                _of_file(job, target, contents[target.path], reports[target.shown], done)


def _of_settings(folder: Path, done: _Migration) -> None:
    """Migrate the settings of a folder."""
    settings = migrated_settings(folder, done.left)
    for name, reason in settings.refused:
        done.refuse(name, reason)
    done.left |= settings.left
    done.changes += settings.changes


def _mentioning(jobs: Iterable[Job], done: _Migration) -> Iterator[tuple[Path, bytes]]:
    """Yield the files that may have such comments, with their contents."""
    for target in (target for job in jobs for target in job.targets):
        try:
            data = read_regular(target.path)
        except OSError as error:
            tell(f"error: cannot read {target.shown}: {in_words(error)}")
            done.has_failed = True
            continue
        if mentions_codes(data):
            yield target.path, data


def _reports(jobs: Iterable[Job], contents: Mapping[Path, bytes]) -> dict[str, FileReport]:
    """Return what the rules of the table report in some files, whatever is suppressed or selected there."""
    rules = chosen_rules(sorted({name for code in CODES.values() for name in code.every_rule}), (), {})
    reports: dict[str, FileReport] = {}

    def learn(report: FileReport) -> None:
        reports[report.path] = report

    lint([_of_rules(job, rules, contents) for job in jobs], 0, learn)
    return reports


def _of_rules(job: Job, rules: Sequence[Rule], contents: Mapping[Path, bytes]) -> Job:
    """Return a job that lints some of its files with some rules."""
    wanted = tuple(target for target in job.targets if target.path in contents)
    others = tuple(target for target in job.targets if target.path not in contents)
    job = replace(job, targets=wanted, others=(*job.others, *others), rules=rules)
    # What cannot be read is to be known, whatever words are in it.
    named = frozenset(target.path for target in wanted)
    return replace(job, per_file_ignores=(), respects_comments=False, named=named)


def _of_file(job: Job, target: Target, data: bytes, report: FileReport, done: _Migration) -> None:
    """Migrate the comments of a file, if it was linted without a failure."""
    if reason := next(_failures(report), ""):
        return done.refuse(target.shown, reason)
    try:
        file = migrated(target.shown, data, report.findings)
    except UnreadableSourceError as error:
        return done.refuse(target.shown, error.reason)
    except CannotBeKeptError as error:
        return done.refuse(target.shown, str(error))
    done.left |= file.left
    if file.before == file.after:
        return None
    if leads_out(target.path, job.root):
        return done.refuse(target.shown, "it is a link that leads out of the project")
    done.idle += [f"{target.shown}:{line}" for line in file.idle]
    return done.changes.append(FixedFile(target.path, target.shown, file.before, file.after))


def _failures(report: FileReport) -> Iterator[str]:
    yield from (error.message for error in report.errors)
    yield from (one.message for one in report.findings if one.rule == UNREADABLE_SOURCE)
    if report.left_out:
        yield f"it is {report.left_out}"
    if (note := report.incompleteness) is not None:
        yield note.message


def _write(done: _Migration) -> None:
    """Write the changes, and keep those that were written."""
    written: list[FixedFile] = []
    for one in done.changes:
        if reason := _not_written(one, len(written)):
            done.refuse(one.shown, reason)
        else:
            written.append(one)
    done.changes = written


def _not_written(one: FixedFile, before: int) -> str:
    """Write a change, and return why that was not done, empty if it was."""
    try:
        if is_present(one.path):
            write(one.path, one.before, one.after)
        else:
            write_whole(one.path, one.after)
    except NoRoomError as error:
        raise no_room(one.shown, error, f"{counted(before, 'file')} changed") from error
    except NotWrittenError as error:
        return error.reason
    except OSError as error:
        return in_words(error)
    return ""


def _tell_notes(done: _Migration, verb: str) -> None:
    for name in sorted(done.left):
        code = CODES[name]
        tell(f"note: {name} ({code.about}) is {code.here}")
    if done.idle:
        more = f" and {len(done.idle) - _MOST_PLACES} more" if len(done.idle) > _MOST_PLACES else ""
        places = ", ".join(map(printable, done.idle[:_MOST_PLACES]))
        tell(f"note: no rule reports anything at {places}{more}: these comments go")
    if done.changes:
        tell(f"{verb} {counted(len(done.changes), 'file')}.")
