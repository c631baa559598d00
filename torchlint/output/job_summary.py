"""The page that GitHub shows for a job: in HTML, so that no part of a finding is read as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from torchlint.errors import TorchlintError, in_words
from torchlint.finding import Finding
from torchlint.output.cells import seen
from torchlint.output.markup import inline, phrase
from torchlint.output.place import also, place_of
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import counted, summary
from torchlint.output.tally import RuleTally, Tally
from torchlint.terminal.text import printable

# `AttachmentSizeLimit` of the runner's step summaries: a larger page is refused as a whole.
LARGEST = 1024 * 1024


def write_job_summary(path: str, findings: Iterable[Finding], tally: Tally, out: OutputSettings) -> None:
    """Add the page to what the step has written so far, as much of it as fits."""
    try:
        with Path(path).open("ab") as file:
            file.write(page(findings, tally, out, LARGEST - file.tell()).encode())
    except OSError as error:
        raise TorchlintError(f"cannot write the job summary {printable(path)}: {in_words(error)}") from error


def page(findings: Iterable[Finding], tally: Tally, out: OutputSettings, room: int) -> str:
    """Return the page, cut after a file's findings to fit into a number of bytes."""
    sections = list(_sections(findings))
    parts = [_headline(tally, out), _table(tally.rules)]
    room -= sum(map(_size, [*parts, _rest(len(sections))]))
    if room < 0:
        return ""
    for position, section in enumerate(sections):
        room -= _size(section)
        if room < 0:
            parts.append(_rest(len(sections) - position))
            break
        parts.append(section)
    return "".join(parts)


def _headline(tally: Tally, out: OutputSettings) -> str:
    lines = list(summary(tally, out.elapsed))
    return f"<h3>torchlint</h3>\n<p>{inline(lines[0].strip())}</p>\n" if lines else ""


def _table(rules: Iterable[RuleTally]) -> str:
    rows = [
        f"<tr><td><code>{inline(rule.name)}</code></td><td>{rule.findings}</td>"
        f"<td>{rule.severity.value}</td><td>{rule.confidence.value}</td></tr>\n"
        for rule in rules
    ]
    head = "<tr><th>rule</th><th>findings</th><th>severity</th><th>confidence</th></tr>\n"
    return f"<table>\n{head}{''.join(rows)}</table>\n" if rows else ""


def _sections(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield the findings of each file, collapsed."""
    for path, group in groupby(sorted(findings, key=lambda finding: finding.order), key=lambda finding: finding.path):
        items = [_item(finding) for finding in group]
        heading = f"<code>{inline(path)}</code>: {counted(len(items), 'finding')}"
        yield f"<details><summary>{heading}</summary>\n<ul>\n{''.join(items)}</ul>\n</details>\n"


def _item(finding: Finding) -> str:
    where = f"cell {finding.cell.cell}:" if finding.cell else ""
    span = seen(finding)
    place = f"{where}{span.line}:{span.column}"
    others = "".join(f"<li>{inline(place_of(one))} {phrase(also(one, finding))}</li>" for one in finding.related)
    listed = f"<ul>{others}</ul>" if others else ""
    return f"<li>{place} <code>{inline(finding.rule)}</code> {phrase(finding.message)}{listed}</li>\n"


def _rest(files: int) -> str:
    return f"<p>{counted(files, 'more file')} in the log.</p>\n"


def _size(text: str) -> int:
    return len(text.encode())
