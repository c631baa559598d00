"""The format `markdown`: a page for a comment on a pull request, or for the summary of a job on GitHub.

It is in HTML, so that no part of a finding is read as Markdown.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from torchlint.errors import TorchlintError, in_words
from torchlint.finding import Edit, Finding, Fix, Span, Step
from torchlint.output.cells import cell_lines, edits_by_cell, seen
from torchlint.output.diff import hunks
from torchlint.output.markup import code, inline, phrase
from torchlint.output.place import also, place_of
from torchlint.output.quotation import Quotations
from torchlint.output.rank import worst_first
from torchlint.output.repository import in_repository
from torchlint.output.rule_links import on_site
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import counted, summary
from torchlint.output.tally import RuleTally, Tally
from torchlint.report import FileReport
from torchlint.terminal.text import ELLIPSIS, LONGEST, printable

# `AttachmentSizeLimit` of the runner's step summaries: a larger page is refused as a whole.
LARGEST = 1024 * 1024
# What the runners set, and how their hosts name the lines of a file: a notebook shows lines as plain text only.
_HOSTS = (
    ("{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/blob/{GITHUB_SHA}/", "#L{}-L{}"),
    ("{CI_PROJECT_URL}/-/blob/{CI_COMMIT_SHA}/", "#L{}-{}"),
)


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the page that GitHub shows for a job: HTML that is valid Markdown, cut to GitHub's limit."""
    tally = Tally()
    found = [report for report in tally.counting(reports) if report.findings]
    yield page(found, tally, out, LARGEST)


def write_job_summary(path: str, reports: Sequence[FileReport], tally: Tally, out: OutputSettings) -> None:
    """Add the page to what the step has written so far, as much of it as fits."""
    try:
        with Path(path).open("ab") as file:
            file.write(page(reports, tally, out, LARGEST - file.tell()).encode())
    except OSError as error:
        raise TorchlintError(f"cannot write the job summary {printable(path)}: {in_words(error)}") from error


def page(reports: Sequence[FileReport], tally: Tally, out: OutputSettings, room: int) -> str:
    """Return the page, the worst finding first, cut after a finding to fit into a number of bytes."""
    parts = [_headline(tally, out), _table(tally.rules, out.site)]
    room -= sum(map(_size, [*parts, _rest(tally.findings)]))
    if room < 0:
        return ""
    of = {id(finding): report for report in reports for finding in report.findings}
    items = _Items(out)
    for position, finding in enumerate(worst_first(one for report in reports for one in report.findings)):
        item = items.html(finding, of[id(finding)])
        room -= _size(item)
        if room < 0:
            parts.append(_rest(tally.findings - position))
            break
        parts.append(item)
    return "".join(parts)


def _headline(tally: Tally, out: OutputSettings) -> str:
    lines = list(summary(tally, out.elapsed))
    return f"<h3>torchlint</h3>\n<p>{inline(lines[0].strip())}</p>\n" if lines else ""


def _table(rules: Iterable[RuleTally], site: str) -> str:
    rows = [
        f"<tr><td>{_linked(f'<code>{inline(rule.name)}</code>', on_site(rule.name, site))}</td><td>{rule.findings}</td>"
        f"<td>{rule.severity.value}</td><td>{rule.confidence.value}</td></tr>\n"
        for rule in rules
    ]
    head = "<tr><th>rule</th><th>findings</th><th>severity</th><th>confidence</th></tr>\n"
    return f"<table>\n{head}{''.join(rows)}</table>\n" if rows else ""


class _Items:
    """The findings of a page, each folded, with what led to it and what would fix it. No line in them is empty."""

    def __init__(self, out: OutputSettings) -> None:
        self._out = out
        self._quotations = Quotations(out.cwd)

    def html(self, finding: Finding, report: FileReport) -> str:
        """Return a finding, given the report of its file."""
        where = f"{self._place(finding)}: <code>{inline(finding.rule)}</code>"
        # No line begins with what a message or a path begins with: the log of a CI could obey it.
        summary_ = f"<b>{finding.severity.value}</b> {where}\n<br>{phrase(finding.message)}"
        parts = [*self._story(finding, report), *self._others(finding)]
        parts += _fix(finding.fix, report) if finding.fix else ()
        return f"<details><summary>{summary_}</summary>\n{''.join(parts)}</details>\n"

    def _place(self, one: Finding | Step) -> str:
        return _linked(inline(place_of(one)), line_address(one.path, one.span, self._out))

    def _story(self, finding: Finding, report: FileReport) -> Iterator[str]:
        """Yield the steps that lead to a finding, and its own line as the last of them."""
        steps = "".join(
            f"<li>{self._place(step)}: {phrase(step.words)}{self._line(step, finding, report)}</li>\n"
            for step in finding.trace
        )
        last = f"<li>{self._place(finding)}{self._line(finding, finding, report)}</li>\n"
        yield f"<ol>\n{steps}{last}</ol>\n" if steps else f"<ul>\n{last}</ul>\n"

    def _line(self, one: Finding | Step, finding: Finding, report: FileReport) -> str:
        """Return the first line of code of a step or a finding, as far as it is at hand."""
        if one.cell is not None:
            lines = cell_lines(report.notebooks, one.path, one.cell.cell)
        else:
            lines = report.lines if one.path == finding.path else self._quotations.lines(one.path)
        number = seen(one).line
        text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return f"<br><code>{code(text[:LONGEST])}</code>" if text else ""

    def _others(self, finding: Finding) -> Iterator[str]:
        if finding.related:
            items = (f"<li>{self._place(one)} {phrase(also(one, finding))}</li>\n" for one in finding.related)
            yield f"<ul>\n{''.join(items)}</ul>\n"


def _fix(fix: Fix, report: FileReport) -> Iterator[str]:
    doubt = f" Unsafe: {phrase(fix.doubt)}." if fix.doubt else ""
    yield f"<p>{phrase(fix.title)} ({'safe' if fix.safe else 'unsafe'} fix).{doubt}</p>\n"
    if report.lines and fix.edits and not fix.cells:
        yield _diff(report.lines, fix.edits)
    for cell, edits in edits_by_cell(fix.cells).items():
        yield _diff(cell_lines(report.notebooks, report.path, cell), edits)


def _diff(lines: Sequence[str], edits: Sequence[Edit]) -> str:
    rows: list[str] = []
    for position, hunk in enumerate(hunks(lines, edits)):
        rows += [ELLIPSIS] if position else []
        rows += [f"-{code(line[:LONGEST])}" for line in hunk.removed]
        rows += [f"+{code(line[:LONGEST])}" for line in hunk.added]
    return '<pre lang="diff">{}</pre>\n'.format("\n".join(rows))


def _linked(html: str, address: str) -> str:
    return f'<a href="{inline(address)}">{html}</a>' if address else html


def _rest(findings: int) -> str:
    return f"<p>{counted(findings, 'more finding')} in the log.</p>\n"


def _size(text: str) -> int:
    return len(text.encode())


def line_address(path: str, span: Span, out: OutputSettings) -> str:
    """Return the address of some lines on the code host; empty outside of its jobs, and of its repository."""
    name = in_repository(path, out)
    if name.startswith(("/", "../")):
        return ""
    for files, lines in _HOSTS:
        try:
            start = files.format_map(os.environ)
        except KeyError:
            continue
        plain = "?plain=1" if name.endswith(".ipynb") else ""
        return start + quote(os.fsencode(name)) + plain + lines.format(span.line, max(span.line, span.end_line))
    return ""
