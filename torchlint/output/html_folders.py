"""Where the findings of a run are: a bar for each folder, by severity."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from torchlint.finding import Severity
from torchlint.output.markup import inline
from torchlint.output.rank import gravity
from torchlint.output.summary import counted
from torchlint.report import FileReport

_MOST = 15
_WIDTH = 300


def folders(reports: Sequence[FileReport], anchors: Mapping[str, str]) -> Iterator[str]:
    """Yield the overview, the folder with most first; nothing for one folder, which the files show as well."""
    counts: dict[str, Counter[Severity]] = {}
    first: dict[str, str] = {}
    for report in reports:
        folder = posixpath.dirname(report.path) or "."
        first.setdefault(folder, anchors[report.path])
        counts.setdefault(folder, Counter()).update(finding.severity for finding in report.findings)
    if len(counts) == 1:
        return
    ordered = sorted(counts, key=lambda folder: (-counts[folder].total(), folder))
    most = counts[ordered[0]].total()
    yield '<table id="folders">\n<thead><tr><th>Folder</th><th></th><th class="count">Findings</th></tr></thead>\n'
    yield "<tbody>\n"
    for folder in ordered[:_MOST]:
        name = f'<a href="#{first[folder]}"><code>{inline(folder)}/</code></a>'
        found = counts[folder]
        yield f"<tr><td>{name}</td><td>{_bar(found, most)}</td>"
        yield f'<td class="count">{found.total()}</td></tr>\n'
    yield "</tbody>\n</table>\n"
    if rest := ordered[_MOST:]:
        number = sum(counts[folder].total() for folder in rest)
        yield f'<p class="faint">{counted(number, "more finding")} in {counted(len(rest), "more folder")}.</p>\n'


def _bar(found: Counter[Severity], most: int) -> str:
    """Return a bar with a part for each severity, as long as its share of the longest."""
    parts: list[str] = []
    start = 0.0
    for severity in sorted(found, key=gravity):
        width = found[severity] * _WIDTH / most
        parts.append(f'<rect class="{severity.value}" x="{start:.1f}" width="{width:.1f}" height="12"/>')
        start += width
    words = ", ".join(f"{found[severity]} {severity.value}" for severity in sorted(found, key=gravity))
    opening = f'<svg class="bar" viewBox="0 0 {_WIDTH} 12" preserveAspectRatio="none" role="img" aria-label="{words}">'
    return f"{opening}<title>{words}</title>{''.join(parts)}</svg>"
