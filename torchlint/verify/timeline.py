"""A few steps of a run as a picture: what the host queues, what the GPU works on, and where the host waits for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from torchlint.terminal.text import printable
from torchlint.verify.waitlog import Moment, Wait

# Nothing is timed: an operation is drawn as if it took the GPU twice as long as the host takes to queue it.
_GPU_PER_HOST = 2
# What waits for nothing is still to be seen.
_LEAST = 0.6
_CAPTION = (
    "Blue: the host queues operations. Green: the GPU runs them. Other colors, those of the verdicts: the host waits"
    " until the queue is empty; each leads to its line in the table. Nothing was timed: an operation is drawn as if it"
    " took the GPU twice as long as the host takes to queue it."
)
_WIDTH, _LEFT, _HOST, _GPU, _LANE, _HEIGHT = 1000, 56, 34, 78, 26, 124


@dataclass(frozen=True, slots=True)
class Mark:
    """How a wait is shown: the style of its status, its line and rule, and the anchor of its row in the table."""

    status: str
    place: str
    code: str
    rule: str
    anchor: str


@dataclass(frozen=True, slots=True)
class _Bar:
    """A stretch of a lane, in operations that the host queues; a wait has a mark."""

    start: float
    end: float
    mark: Mark | None = None


class _Clock:
    """Draws moments one after the other, and remembers when the host and the GPU are done."""

    def __init__(self) -> None:
        self.host = self.gpu = 0.0
        self.queueing: list[_Bar] = []
        self.working: list[_Bar] = []
        self.waiting: list[_Bar] = []

    def pass_by(self, moment: Moment, mark: Mark | None) -> None:
        """Queue the work of a moment, then wait for all of it."""
        if moment.work:
            begun, ready = self.host, max(self.gpu, self.host + 1)
            self.host += moment.work
            # The GPU starts with the first operation, and is never done before the last one is queued.
            self.gpu = max(ready + _GPU_PER_HOST * moment.work, self.host + _GPU_PER_HOST)
            self.queueing.append(_Bar(begun, self.host))
            self.working.append(_Bar(ready, self.gpu))
        if mark is not None:
            until = max(self.gpu, self.host + _LEAST)
            self.waiting.append(_Bar(self.host, until, mark))
            self.host = until


def timeline(moments: Sequence[Moment], marks: Mapping[Wait, Mark]) -> Iterator[str]:
    """Yield the picture as SVG, with a frame of words; nothing if no step waited."""
    shown = _whole_steps(moments)
    if not any(moment.wait for moment in shown):
        return
    clock, steps = _Clock(), dict[int, float]()
    for moment in shown:
        steps.setdefault(moment.step, clock.host)
        clock.pass_by(moment, marks.get(moment.wait) if moment.wait else None)
    total = max(clock.host, clock.gpu)
    scale = (_WIDTH - _LEFT) / total
    first, last = min(steps) + 1, max(steps) + 1
    number = f"step {first}" if first == last else f"steps {first} to {last}"
    yield f'<h2>Host and GPU <small>{number}</small></h2>\n<figure class="timeline">'
    yield f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{_words(clock, number)}">'
    yield f'<text x="0" y="{_HOST + 17}">host</text><text x="0" y="{_GPU + 17}">GPU</text>'
    for step, start in steps.items():
        x = _LEFT + start * scale
        yield f'<line class="step" x1="{x:.1f}" x2="{x:.1f}" y1="14" y2="{_HEIGHT}"/>'
        yield f'<text class="small" x="{x + 4:.1f}" y="24">step {step + 1}</text>'
    yield from (_rect(bar, "queueing", _HOST, scale) for bar in clock.queueing)
    yield from (_rect(bar, "working", _GPU, scale) for bar in clock.working)
    numbers = _numbered(clock.waiting)
    yield from (_wait(bar, numbers[bar.mark], scale) for bar in clock.waiting if bar.mark is not None)
    yield "</svg>\n<ol>"
    yield from map(_legend, numbers)
    yield f"</ol>\n<figcaption>{_CAPTION}</figcaption>\n</figure>"


def _whole_steps(moments: Sequence[Moment]) -> list[Moment]:
    """Return the moments of steps: without the first, with which everything before it counts, if there are more."""
    numbers = sorted({moment.step for moment in moments})
    chosen = numbers[1:] or numbers
    return [moment for moment in moments if moment.step in chosen]


def _rect(bar: _Bar, kind: str, top: int, scale: float) -> str:
    x, width = _LEFT + bar.start * scale, (bar.end - bar.start) * scale
    return f'<rect class="{kind}" x="{x:.1f}" y="{top}" width="{width:.1f}" height="{_LANE}"/>'


def _numbered(waits: Sequence[_Bar]) -> dict[Mark, int]:
    """Return the numbers by which the waits are found in the list below the picture."""
    return {mark: number for number, mark in enumerate(dict.fromkeys(bar.mark for bar in waits if bar.mark), 1)}


def _wait(bar: _Bar, number: int, scale: float) -> str:
    assert bar.mark is not None
    middle = _LEFT + (bar.start + bar.end) / 2 * scale
    title = f"<title>{as_html(f'{bar.mark.place}: {bar.mark.code} ({bar.mark.rule})')}</title>"
    rect = _rect(bar, f"waiting {bar.mark.status}", _HOST, scale)
    label = f'<text class="small number" x="{middle:.1f}" y="{_HOST + _LANE + 13}">{number}</text>'
    picture = f"<g>{title}{rect}{label}</g>"
    return f'<a href="#{bar.mark.anchor}">{picture}</a>' if bar.mark.anchor else picture


def _legend(mark: Mark) -> str:
    place = f'<a href="#{mark.anchor}">{as_html(mark.place)}</a>' if mark.anchor else as_html(mark.place)
    return f'<li>{place} <code>{as_html(mark.code)}</code> <span class="{mark.status}">{as_html(mark.rule)}</span></li>'


def as_html(words: str) -> str:
    """Return words as HTML, on one line."""
    return escape(printable(words))


def _words(clock: _Clock, number: str) -> str:
    return as_html(f"In {number} the host waits {len(clock.waiting)} times for the GPU.")
