"""A finding on a page: what it says, the code it speaks of, the story behind it and what a fix would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchlint.finding import Finding, Fix
from torchlint.output.canvas import folded, spaced
from torchlint.output.diff import hunks
from torchlint.output.fingerprint import Fingerprints
from torchlint.output.html_frame import frame
from torchlint.output.markup import code, inline, phrase
from torchlint.output.place import place
from torchlint.output.quotation import Quotations
from torchlint.output.repository import in_repository
from torchlint.output.settings import OutputSettings
from torchlint.output.story import Scene, scenes
from torchlint.screen import ELLIPSIS, LONGEST


class Article:
    """How the findings of a run look on its page; their anchors are the same in the next run's."""

    def __init__(self, out: OutputSettings) -> None:
        self._out = out
        self._quotations = Quotations(out.cwd)
        self._fingerprints = Fingerprints()

    def html(self, finding: Finding, lines: Sequence[str]) -> Iterator[str]:
        """Yield a finding, given the lines of its file."""
        path = in_repository(finding.path, self._out)
        anchor = f"f-{self._fingerprints.of(finding, path, lines)[:16]}"
        severity, rule = finding.severity.value, inline(finding.rule)
        kind = "none" if finding.fix is None else "safe" if finding.fix.safe else "unsafe"
        yield f'<article class="finding" id="{anchor}" data-severity="{severity}" '
        yield f'data-rule="{rule}" data-fix="{kind}">\n'
        yield f'<h3><span class="{severity}">{severity}</span> <a href="#rule-{rule}"><code>{rule}</code></a> '
        yield f"{phrase(finding.message)} "
        yield f'<a class="anchor" href="#{anchor}" aria-label="Link to this finding">#</a></h3>\n'
        for scene in scenes(finding):
            yield from self._scene(scene, lines if scene.path == finding.path else self._quotations.lines(scene.path))
        if finding.fix:
            yield from _fix(finding.fix, lines)
        yield f'<p class="faint">confidence: {finding.confidence.value}</p>\n</article>\n'

    def _scene(self, scene: Scene, lines: Sequence[str]) -> Iterator[str]:
        """Yield a part of a story: its code, or its places where there is none to show."""
        heading = f'<p class="place"><code>{inline(place(scene.path, scene.marks[0].span))}</code></p>\n'
        if all(0 < mark.span.line <= len(lines) for mark in scene.marks):
            yield heading
            yield from frame(lines, scene.marks)
            return
        for mark in scene.marks:
            where = inline(place(scene.path, mark.span))
            yield f'<p class="place"><code>{where}</code> {phrase(mark.words)}</p>\n'


def _fix(fix: Fix, lines: Sequence[str]) -> Iterator[str]:
    """Yield what a fix is, and the lines that it changes."""
    kind = "safe" if fix.safe else "unsafe"
    yield f'<p class="help"><b>help:</b> {phrase(fix.title)} ({kind} fix)</p>\n'
    if not (lines and fix.edits):
        return
    yield '<pre class="code diff" tabindex="0">'
    for position, hunk in enumerate(hunks(lines, fix.edits)):
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
