"""The results of a user's program, as one page for a browser: nothing is fetched, and no script is needed."""

from __future__ import annotations

import base64
import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from torchlint import __version__
from torchlint.files.display_path import shown
from torchlint.verify.heat import Entry, Listing, shown_code
from torchlint.verify.merge import Status, code_at, source_lines
from torchlint.verify.report import UNSEEN
from torchlint.verify.script import ScriptRun
from torchlint.verify.scriptreport import by_status, ending, per_step
from torchlint.verify.timeline import Mark, as_html, timeline
from torchlint.verify.waitlog import Wait

_MEANING = {
    Status.CONFIRMED: "torchlint said so, and it waits on every step",
    Status.MISSED: "it waits on every step, and torchlint said nothing",
    Status.NO_WAIT: "torchlint said so; the run came here, and it did not wait",
    Status.NOT_REACHED: "torchlint said so, and this run never came here",
    Status.NO_RULE: "it waits, as no rule is about: a copy to the GPU, a read inside a package, or a second read",
    Status.ONCE_ONLY: "it waits, and not on every step",
}


def html(seen: ScriptRun, date: str) -> str:
    """Return the page."""
    return "\n".join(_document(seen, date)) + "\n"


def _document(seen: ScriptRun, date: str) -> Iterator[str]:
    entries = [Entry(line, f"p{number}") for number, line in enumerate(by_status(seen.lines), 1)]
    listings = _listings(seen, entries)
    title = as_html(shown(seen.script.path))
    css = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_policy(css)}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}: waits for the GPU</title>\n<style>{css}</style>\n</head>\n<body>"
    yield from _head(seen, title)
    if seen.run.steps:
        yield from timeline(seen.run.moments, _marks(seen, entries))
    yield from _table(entries, listings)
    for path, listing in listings.items():
        yield f"<h2><code>{as_html(shown(path))}</code> <small>waits per step at each line</small></h2>"
        # A scrollable region must be reachable from the keyboard.
        yield f'<div class="listing" role="region" tabindex="0" aria-label="{as_html(shown(path))}"><div>'
        yield from listing.html()
        yield "</div></div>"
    yield f"<footer>torchlint {__version__}, torch {as_html(seen.torch)}, {date}</footer>\n</body>\n</html>"


def _policy(css: str) -> str:
    """Return a policy under which the browser accepts our style, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _head(seen: ScriptRun, title: str) -> Iterator[str]:
    run = seen.run
    arguments = f" with <code>{as_html(' '.join(seen.script.arguments))}</code>" if seen.script.arguments else ""
    yield f'<header>\n<h1>{title}</h1>\n<p class="faint">run{arguments} on {as_html(seen.machine)}</p>'
    figures = [
        (f"{run.steps}", "optimizer steps"),
        (f"{run.seconds:.1f} s", "run time"),
        (f"{run.total_waits}", "waits for the GPU"),
        (f"{per_step(seen.lines):.2f}" if run.steps else "-", "waits per step"),
    ]
    yield f'<ul class="figures">{"".join(map(_figure, figures))}</ul>'
    if told := ending(seen):
        yield f'<p class="stopped">{as_html(told)}</p>'
    if seen.simulated:
        share = run.overhead / run.seconds if run.seconds else 0.0
        yield "<p>The GPU was simulated: this shows that the host waits, not what that costs. "
        yield f"At least {share:.0%} of the run time is the simulation's own.</p>"
        caveats = " ".join(UNSEEN)
        yield f'<p class="faint">{as_html(caveats[0].upper() + caveats[1:])}.</p>'
    yield "</header>"


def _marks(seen: ScriptRun, entries: Iterable[Entry]) -> dict[Wait, Mark]:
    """Return how each wait is shown: by its line in the table, the first of several."""
    by_line: dict[tuple[str, int], Entry] = {}
    for entry in entries:
        for number in range(entry.line.span.line, entry.line.span.end_line + 1):
            by_line.setdefault((entry.line.path, number), entry)
    waits = [one.wait for one in seen.run.waits]
    return {wait: _mark(wait, by_line.get((os.path.realpath(wait.site.path), wait.site.line))) for wait in waits}


def _mark(wait: Wait, entry: Entry | None) -> Mark:
    place = f"{shown(wait.site.path)}:{wait.site.line}"
    if entry is None:
        return Mark("", place, wait.operation, wait.kind.value, "")
    return Mark(entry.status, place, code_at(entry.line), entry.line.rule or wait.kind.value, entry.anchor)


def _figure(figure: tuple[str, str]) -> str:
    value, name = figure
    return f"<li><b>{value}</b>{name}</li>"


def _listings(seen: ScriptRun, entries: Iterable[Entry]) -> dict[str, Listing]:
    """Return the files of the program with results, the script first."""
    told: dict[str, list[Entry]] = {os.path.realpath(seen.script.path): []}
    for entry in entries:
        told.setdefault(entry.line.path, []).append(entry)
    return {
        path: Listing(source, told[path], f"f{number}" if number else "")
        for number, path in enumerate(told)
        if (source := source_lines(path))
    }


def _table(entries: Sequence[Entry], listings: Mapping[str, Listing]) -> Iterator[str]:
    yield "<h2>Lines that wait, and lines that torchlint reports</h2>"
    if not entries:
        yield "<p>Nothing waits for the GPU, and torchlint says nothing about waits.</p>"
        return
    yield '<table>\n<thead><tr><th>Verdict</th><th>Line</th><th class="count">Waits</th>'
    yield '<th class="count">Per step</th><th>Code</th></tr></thead>\n<tbody>'
    for entry in entries:
        yield _row(entry, listings.get(entry.line.path))
    yield "</tbody>\n</table>\n<dl>"
    counts = Counter(entry.line.status for entry in entries)
    for status, meaning in _MEANING.items():
        if counts[status]:
            yield f"<dt>{_verdict(status)} {counts[status]}</dt><dd>{meaning}</dd>"
    yield "</dl>"


def _row(entry: Entry, listing: Listing | None) -> str:
    line = entry.line
    place = as_html(f"{shown(line.path)}:{line.span.line}:{line.span.column}")
    if listing is not None:
        place = f'<a href="#{listing.anchor(line.span.line)}">{place}</a>'
    why = as_html(line.rule or ", ".join(line.kinds))
    via = as_html(f" in {line.function}(), via {line.via}") if line.via else ""
    return (
        f'<tr id="{entry.anchor}"><td class="status">{_verdict(line.status)}</td>'
        f'<td class="place"><code>{place}</code></td>'
        f"{_count(f'{line.waits}' if line.waits else '', 'waits')}"
        f"{_count(f'{line.per_step:.2f}' if line.waits else '', 'per step')}"
        f"<td><code>{shown_code(code_at(line))}</code><small>{why}{via}</small></td></tr>"
    )


def _count(number: str, unit: str) -> str:
    return f'<td class="count" data-unit="{unit}">{number}</td>'


def _verdict(status: Status) -> str:
    return f'<span class="status {status.value.replace(" ", "-")}">{status.value.upper()}</span>'
