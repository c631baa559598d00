"""Reports as lists and back: the input may be anything, and is checked."""

from __future__ import annotations

from typing import TypeAlias, cast

from torchlint.finding import Cause, Confidence, Edit, Finding, Fix, Severity, Span, Step
from torchlint.report import FileReport

# Of a finding.
_PARTS = 10

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class MalformedError(Exception):
    """The input is not what is written here."""


def written(report: FileReport) -> Json:
    """Return a report as lists, without the lines of its file; None if it is empty."""
    if not (report.findings or report.suppressed or report.left_out):
        return None
    return [report.path, report.suppressed, report.left_out, [_finding(finding) for finding in report.findings]]


def read_report(value: Json, lines: tuple[str, ...]) -> FileReport:
    """Return a report that was written; raises `MalformedError`."""
    path, suppressed, left_out, findings = parts(value, 4)
    found = tuple(map(_read_finding, sequence(findings)))
    return FileReport(text(path), found, (), number(suppressed), lines, left_out=text(left_out))


def rules_in(value: Json) -> set[str]:
    """Return the rules that a written report has findings of."""
    return {text(parts(finding, _PARTS)[0]) for finding in sequence(parts(value, 4)[3])}


def files_in_steps(value: Json) -> set[str]:
    """Return the names, without folders, of the files that the steps of a written report are in."""
    traces = (sequence(parts(finding, _PARTS)[7]) for finding in sequence(parts(value, 4)[3]))
    return {text(parts(step, 4)[0]).rpartition("/")[2] for trace in traces for step in trace}


def _finding(one: Finding) -> Json:
    trace: list[Json] = [[step.path, _span(step.span), step.words, step.is_assumed] for step in one.trace]
    fix: Json = None
    if one.fix is not None:
        fix = [one.fix.title, [[_span(edit.span), edit.text] for edit in one.fix.edits], one.fix.safe, one.fix.doubt]
    form: list[Json] = [one.severity.value, one.confidence.value]
    return [one.rule, one.group, one.path, _span(one.span), one.message, *form, trace, fix, _cause(one.cause)]


def _read_finding(value: Json) -> Finding:
    rule, group, path, span, message, severity, confidence, trace, fix, cause = parts(value, _PARTS)
    try:
        grave, sure = Severity(severity), Confidence(confidence)
    except ValueError as error:
        raise MalformedError from error
    steps = tuple(_read_step(step) for step in sequence(trace))
    place, words = _read_span(span), text(message)
    named = (text(rule), text(group), text(path))
    return Finding(*named, place, words, grave, sure, steps, _read_fix(fix), cause=_read_cause(cause))


def _cause(cause: Cause | None) -> Json:
    if cause is None:
        return None
    return [cause.happens, cause.within, cause.advice, cause.path, _span(cause.span) if cause.span else None]


def _read_cause(value: Json) -> Cause | None:
    if value is None:
        return None
    happens, within, advice, path, span = parts(value, 5)
    words = Cause(text(happens), text(within), text(advice))
    return words.at(text(path), None if span is None else _read_span(span))


def _read_step(value: Json) -> Step:
    path, span, words, is_assumed = parts(value, 4)
    return Step(text(path), _read_span(span), text(words), is_assumed=is_assumed is True)


def _read_fix(value: Json) -> Fix | None:
    if value is None:
        return None
    title, edits, safe, doubt = parts(value, 4)
    pairs = (parts(edit, 2) for edit in sequence(edits))
    found = tuple(Edit(_read_span(span), text(new)) for span, new in pairs)
    return Fix(text(title), found, safe is True, doubt=text(doubt))


def _span(span: Span) -> Json:
    return [span.line, span.column, span.end_line, span.end_column]


def _read_span(value: Json) -> Span:
    return Span(*map(number, parts(value, 4)))


def sequence(value: Json) -> list[Json]:
    """Return a list, checked."""
    if not isinstance(value, list):
        raise MalformedError
    return value


def parts(value: Json, length: int) -> list[Json]:
    """Return a list of some length, checked."""
    if len(found := sequence(value)) != length:
        raise MalformedError
    return found


def text(value: Json) -> str:
    """Return a text, checked."""
    if not isinstance(value, str):
        raise MalformedError
    return value


def number(value: Json) -> int:
    """Return a number, checked."""
    if not isinstance(value, int):
        raise MalformedError
    return value


def texts(value: Json) -> list[str]:
    """Return a list of texts, checked."""
    found = sequence(value)
    if not all(isinstance(one, str) for one in found):
        raise MalformedError
    return cast("list[str]", found)


def numbers(value: Json) -> list[int]:
    """Return a list of numbers, checked."""
    found = sequence(value)
    if not all(isinstance(one, int) for one in found):
        raise MalformedError
    return cast("list[int]", found)
