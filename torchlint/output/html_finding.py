"""A finding on a page: its message, its code, its trace and what a fix would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchlint.finding import Edit, Finding, Fix
from torchlint.output.canvas import folded, spaced
from torchlint.output.cells import cell_lines, edits_by_cell
from torchlint.output.diff import hunks
from torchlint.output.fingerprint import Fingerprints
from torchlint.output.highlight import Highlights
from torchlint.output.html_frame import frame
from torchlint.output.markup import code, inline, phrase
from torchlint.output.place import also, place_of, seen_place
from torchlint.output.quotation import Quotations
from torchlint.output.repository import in_repository
from torchlint.output.settings import OutputSettings
from torchlint.output.story import Scene, scenes
from torchlint.report import FileReport
from torchlint.terminal.text import ELLIPSIS, LONGEST


class Article:
    """The findings of a run on its page; their anchors are the same in the next run's."""

    def __init__(self, out: OutputSettings) -> None:
        self._out = out
        self._quotations = Quotations(out.cwd)
        self._fingerprints = Fingerprints()
        self._highlights = Highlights()

    def html(self, finding: Finding, report: FileReport) -> Iterator[str]:
        """Yield a finding, given the report of its file."""
        path = in_repository(finding.path, self._out)
        anchor = f"f-{self._fingerprints.of(finding, path, report.lines)[:16]}"
        severity, rule = finding.severity.value, inline(finding.rule)
        kind = "none" if finding.fix is None else "safe" if finding.fix.safe else "unsafe"
        yield f'<article class="finding" id="{anchor}" data-severity="{severity}" '
        yield f'data-rule="{rule}" data-fix="{kind}">\n'
        yield f'<h3><span class="{severity}">{severity}</span> <a href="#rule-{rule}"><code>{rule}</code></a> '
        yield f"{phrase(finding.message)} "
        yield f'<a class="anchor" href="#{anchor}" aria-label="Link to this finding">#</a></h3>\n'
        for scene in scenes(finding):
            yield from self._scene(scene, self._quotations.of(scene, finding, report))
        if finding.related:
            yield f'<ul class="related">\n{"".join(_also(one, finding) for one in finding.related)}</ul>\n'
        if finding.fix:
            yield from _fix(finding.fix, report)
        yield f'<p class="faint">confidence: {finding.confidence.value}</p>\n</article>\n'

    def _scene(self, scene: Scene, lines: Sequence[str]) -> Iterator[str]:
        """Yield a part of a trace: its code, or its positions if there is none to show."""
        heading = (
            f'<p class="place"><code>{inline(seen_place(scene.path, scene.marks[0].span, scene.cell))}</code></p>\n'
        )
        if all(0 < mark.span.line <= len(lines) for mark in scene.marks):
            yield heading
            yield from frame(lines, scene.marks, self._highlights.of(lines))
            return
        for mark in scene.marks:
            where = inline(seen_place(scene.path, mark.span, scene.cell))
            yield f'<p class="place"><code>{where}</code> {phrase(mark.words)}</p>\n'


def _also(one: Finding, finding: Finding) -> str:
    return f"<li><code>{inline(place_of(one))}</code> {phrase(also(one, finding))}</li>\n"


def _fix(fix: Fix, report: FileReport) -> Iterator[str]:
    """Yield a fix, and the lines that it changes."""
    kind = "safe" if fix.safe else "unsafe"
    yield f'<p class="help"><b>help:</b> {phrase(fix.title)} ({kind} fix)</p>\n'
    if report.lines and fix.edits and not fix.cells:
        yield from _diff(report.lines, fix.edits)
    by_cell = edits_by_cell(fix.cells)
    for cell, edits in by_cell.items():
        if len(by_cell) > 1:
            yield f'<p class="place">cell {cell}</p>\n'
        yield from _diff(cell_lines(report.notebooks, report.path, cell), edits)
    if fix.doubt:
        yield f'<p class="help"><b>note:</b> unsafe fix: {phrase(fix.doubt)}</p>\n'


def _diff(lines: Sequence[str], edits: Sequence[Edit]) -> Iterator[str]:
    """Yield the lines that edits change."""
    yield '<pre class="code diff" tabindex="0">'
    for position, hunk in enumerate(hunks(lines, edits)):
        if position:
            yield f"{ELLIPSIS}\n"
        yield from _side("del", "-", hunk.removed)
        yield from _side("ins", "+", hunk.added)
    yield "</pre>\n"


def _side(tag: str, sign: str, lines: Sequence[str]) -> Iterator[str]:
    for index in spaced(folded(range(len(lines)))):
        if index is None:
            yield f"{ELLIPSIS}\n"
        else:
            yield f"<{tag}>{sign} {code(lines[index][:LONGEST])}</{tag}>\n"
