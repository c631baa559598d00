"""A finding as text: with its code, its trace, and its fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchlint.finding import Finding, Fix
from torchlint.output.canvas import Canvas
from torchlint.output.cells import cell_lines, edits_by_cell, seen
from torchlint.output.diff import diff
from torchlint.output.frame import Mark, frame
from torchlint.output.place import also, place_of, seen_place, sign
from torchlint.output.quotation import Quotations
from torchlint.output.rule_links import at_hand
from torchlint.output.settings import OutputSettings
from torchlint.output.story import Scene, scenes
from torchlint.report import FileReport
from torchlint.terminal.style import Style
from torchlint.terminal.text import printable

_LEAST_GUTTER = 2


class Page:
    """The findings of one run as text; a rule is introduced at its first finding."""

    def __init__(self, out: OutputSettings) -> None:
        self.out = out
        self.style = Style(out.color, out.hyperlinks)
        self.quotations = Quotations(out.cwd)
        self.met: set[str] = set()

    def lines(self, finding: Finding, report: FileReport) -> Iterator[str]:
        """Yield everything about a finding, given the report of its file."""
        canvas = Canvas(self.style, _gutter(finding), self.out.width)
        severity = self.style.grave(finding.severity.value, finding.severity)
        yield f"{severity}[{self._rule(finding.rule)}] {sign(finding)}{printable(finding.message)}"
        arrow = "-->"
        for scene in scenes(finding):
            yield from self._scene(arrow, scene, self.quotations.of(scene, finding, report), canvas)
            arrow = ":::"
        for one in finding.related:
            yield f"{self._link(arrow, place_of(one), one.path, canvas)}: {also(one, finding)}"
        if finding.fix:
            yield from self._fix(finding.fix, report, canvas)
        if finding.rule not in self.met and not self.out.quiet:
            self.met.add(finding.rule)
            yield f"{self.style.bold('note')}: see `torchlint explain {finding.rule}`"
        yield ""

    def _rule(self, name: str) -> str:
        return self.style.link(name, at_hand(name, self.out.site)) if self.out.hyperlinks else name

    def _scene(self, arrow: str, scene: Scene, source: Sequence[str], canvas: Canvas) -> Iterator[str]:
        """Yield a frame, or the bare positions if there is no source to show."""
        if all(0 < mark.span.line <= len(source) for mark in scene.marks):
            yield self._place(arrow, scene, scene.marks[0], canvas)
            yield from frame(source, scene.marks, canvas)
            return
        for mark in scene.marks:
            words = f": {printable(mark.words)}" if mark.words else ""
            yield self._place(arrow, scene, mark, canvas) + words
            arrow = ":::"

    def _place(self, arrow: str, scene: Scene, mark: Mark, canvas: Canvas) -> str:
        return self._link(arrow, seen_place(scene.path, mark.span, scene.cell), scene.path, canvas)

    def _link(self, arrow: str, shown: str, path: str, canvas: Canvas) -> str:
        if self.out.hyperlinks:
            shown = self.style.link(shown, (self.out.cwd.absolute() / path).as_uri())
        return f"{' ' * canvas.gutter}{self.style.ruled(arrow)} {shown}"

    def _fix(self, fix: Fix, report: FileReport, canvas: Canvas) -> Iterator[str]:
        kind = "safe" if fix.safe else "unsafe"
        yield f"{self.style.bold('help')}: {printable(fix.title)} ({kind} fix)"
        if report.lines and not fix.cells:
            yield from diff(report.lines, fix.edits, canvas)
        by_cell = edits_by_cell(fix.cells)
        for cell, edits in by_cell.items():
            if len(by_cell) > 1:
                yield f"{' ' * canvas.gutter}{self.style.ruled(':::')} cell {cell}"
            yield from diff(cell_lines(report.notebooks, report.path, cell), edits, canvas)
        if fix.doubt:
            yield f"{self.style.bold('note')}: unsafe fix: {printable(fix.doubt)}"


def _gutter(finding: Finding) -> int:
    """Return the width of the line numbers of a finding, those of its fix included."""
    edits = finding.fix.edits if finding.fix else ()
    if finding.fix and finding.fix.cells:
        edits = tuple(one.edit for one in finding.fix.cells)
    spans = [seen(finding), *map(seen, finding.trace), *(edit.span for edit in edits)]
    last = max(span.end_line for span in spans) + sum(edit.text.count("\n") for edit in edits)
    return max(_LEAST_GUTTER, len(str(last)))
