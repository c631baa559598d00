"""The format `html`: a page to read, in one file that loads nothing.

All of it is there without JavaScript, which adds the filters and is allowed, like the style, by its digest alone.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from torchlint import __version__
from torchlint.finding import Severity
from torchlint.manual import Entry, paragraphs
from torchlint.output.descriptions import described
from torchlint.output.html_finding import Article
from torchlint.output.markup import inline, phrase
from torchlint.output.provenance import commit_of
from torchlint.output.rank import gravity, sureness, worst_first
from torchlint.output.rule_links import on_site
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import counted, summary
from torchlint.output.tally import RuleTally, Tally
from torchlint.report import FileReport

_FOLDER = Path(__file__).parent
_MOST_FOLDERS = 15
_WIDEST = 300


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the page; its totals come first, so all must be known before any of it is written."""
    tally = Tally()
    found = sorted((report for report in tally.counting(reports) if report.findings), key=_badness)
    anchors = {report.path: f"file-{number}" for number, report in enumerate(found, 1)}
    rules = {finding.rule: finding for report in found for finding in report.findings}
    entries = {name: described(finding) for name, finding in sorted(rules.items())}
    article = Article(out)
    yield from _head(tally)
    yield "<body>\n<header>\n<h1>torchlint</h1>\n"
    yield from (f"<p>{phrase(line.strip())}</p>\n" for line in summary(tally, out.elapsed))
    yield from (f'<p class="failed">{phrase(error.message)}</p>\n' for error in tally.errors)
    yield f"{_figures(tally)}{''.join(_run(out))}</header>\n<main>\n"
    if found:
        yield from folders(found, anchors)
        yield from _table(tally.rules, entries)
        yield _filters(tally.rules)
    for report in found:
        yield from _file(report, anchors[report.path], article)
    if entries:
        yield from _manual(entries.values(), out.site)
    yield f"</main>\n<footer>torchlint {__version__}</footer>\n"
    yield f"<script>{_resource('report.js')}</script>\n</body>\n</html>\n"


def _head(tally: Tally) -> Iterator[str]:
    css, script = _resource("report.css"), _resource("report.js")
    let_in = f"style-src {_digest(css)}; script-src {_digest(script)}"
    policy = f"default-src 'none'; {let_in}; base-uri 'none'; form-action 'none'"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>torchlint: {counted(tally.findings, 'finding')}</title>\n<style>{css}</style>\n</head>\n"


@cache
def _resource(name: str) -> str:
    return (_FOLDER / name).read_text("utf-8")


def _digest(text: str) -> str:
    """Return the digest by which the policy allows a text that is part of the page, and nothing else."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _figures(tally: Tally) -> str:
    items = [
        _figure(tally.by_severity[Severity.ERROR], "error", "errors", "error"),
        _figure(tally.by_severity[Severity.WARNING], "warning", "warnings", "warning"),
        _figure(tally.by_severity[Severity.INFO], "info", "info", "info"),
        _figure(tally.safe, "safe fix", "safe fixes"),
        _figure(tally.unsafe, "unsafe fix", "unsafe fixes"),
        _figure(len(tally.by_path), *[f"of {counted(tally.files, 'file')}"] * 2),
    ]
    return f'<ul class="figures">{"".join(items)}</ul>\n'


def _figure(number: int, one: str, many: str, kind: str = "") -> str:
    return f'<li><b class="{kind}">{number}</b>{one if number == 1 else many}</li>'


def _table(rules: Iterable[RuleTally], entries: dict[str, Entry]) -> Iterator[str]:
    yield '<table id="rules">\n<thead><tr><th>Rule</th><th>What to do</th><th>Severity</th><th>Confidence</th>'
    yield '<th class="count">Findings</th></tr></thead>\n<tbody>\n'
    for rule in rules:
        name = inline(rule.name)
        yield f'<tr><td><a href="#rule-{name}"><code>{name}</code></a></td>'
        yield f"<td>{phrase(entries[rule.name].summary)}</td>"
        yield f'<td class="{rule.severity.value}">{rule.severity.value}</td><td>{rule.confidence.value}</td>'
        yield f'<td class="count" data-rule="{name}">{rule.findings}</td></tr>\n'
    yield "</tbody>\n</table>\n"


def _filters(rules: Sequence[RuleTally]) -> str:
    """Return the form that hides findings, itself hidden if no script can run."""
    names = [rule.name for rule in rules]
    return (
        '<form id="filters" hidden>\n<input type="search" name="text" placeholder="Search" aria-label="Search">\n'
        + _choice("severity", "any severity", [severity.value for severity in Severity])
        + _choice("rule", "any rule", sorted(names))
        + _choice("fix", "fixable or not", ["safe", "unsafe", "none"])
        + '<button type="reset">Show all</button>\n<output></output>\n</form>\n'
    )


def _choice(name: str, any_: str, values: Iterable[str]) -> str:
    options = "".join(f"<option>{inline(value)}</option>" for value in values)
    return f'<select name="{name}" aria-label="{name}"><option value="">{any_}</option>{options}</select>\n'


def _badness(report: FileReport) -> tuple[int, int, int, str]:
    """Return the sort key of a file: by its worst finding, then by how many it has."""
    worst = worst_first(report.findings)[0]
    return gravity(worst.severity), sureness(worst.confidence), -len(report.findings), report.path


def _run(out: OutputSettings) -> Iterator[str]:
    """Yield what was run: the command, the commit and the day."""
    facts = [f"<code>{inline(shlex.join(out.command))}</code>"] if out.command else []
    if commit := commit_of(out.cwd):
        facts.append(f"at commit <code>{commit[:12]}</code>")
    facts += [f"on {inline(out.date)}"] if out.date else []
    if facts:
        yield f'<p class="faint">{" ".join(facts)}, torchlint {__version__}</p>\n'


def _file(report: FileReport, anchor: str, article: Article) -> Iterator[str]:
    path, number = inline(report.path), len(report.findings)
    yield f'<details class="file" id="{anchor}" open>\n'
    yield f"<summary><h2><code>{path}</code> <small>{number}</small></h2></summary>\n"
    for finding in worst_first(report.findings):
        yield from article.html(finding, report)
    yield "</details>\n"


def _manual(entries: Iterable[Entry], site: str) -> Iterator[str]:
    """Yield the pages of the rules with findings."""
    yield '<section class="manual">\n<h2>The rules</h2>\n'
    for rule in entries:
        name = inline(rule.name)
        summary_, _, text = rule.text.partition("\n")
        yield f'<article id="rule-{name}">\n<h3><code>{name}</code></h3>\n<p><b>{phrase(summary_)}</b></p>\n'
        yield from (_part(one) for one in paragraphs(text))
        if address := on_site(rule.name, site):
            yield f"<p>{_linked(address)}</p>\n"
        yield "</article>\n"
    yield "</section>\n"


def _part(part: str | tuple[str, ...]) -> str:
    """Return a paragraph or a list of a page."""
    if isinstance(part, str):
        return f"<p>{_linked(part)}</p>\n"
    return f"<ul>{''.join(f'<li>{phrase(item)}</li>' for item in part)}</ul>\n"


def _linked(paragraph: str) -> str:
    """Return a paragraph of a page, as a link if it is only a URL."""
    if not paragraph.startswith("https://"):
        return phrase(paragraph)
    address = inline(paragraph)
    return f'<a href="{address}" rel="noreferrer">{address}</a>'


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
    for folder in ordered[:_MOST_FOLDERS]:
        name = f'<a href="#{first[folder]}"><code>{inline(folder)}/</code></a>'
        found = counts[folder]
        yield f"<tr><td>{name}</td><td>{_bar(found, most)}</td>"
        yield f'<td class="count">{found.total()}</td></tr>\n'
    yield "</tbody>\n</table>\n"
    if rest := ordered[_MOST_FOLDERS:]:
        number = sum(counts[folder].total() for folder in rest)
        yield f'<p class="faint">{counted(number, "more finding")} in {counted(len(rest), "more folder")}.</p>\n'


def _bar(found: Counter[Severity], most: int) -> str:
    """Return a bar with a part for each severity, as long as its share of the longest."""
    parts: list[str] = []
    start = 0.0
    for severity in sorted(found, key=gravity):
        width = found[severity] * _WIDEST / most
        parts.append(f'<rect class="{severity.value}" x="{start:.1f}" width="{width:.1f}" height="12"/>')
        start += width
    words = ", ".join(f"{found[severity]} {severity.value}" for severity in sorted(found, key=gravity))
    opening = f'<svg class="bar" viewBox="0 0 {_WIDEST} 12" preserveAspectRatio="none" role="img" aria-label="{words}">'
    return f"{opening}<title>{words}</title>{''.join(parts)}</svg>"
