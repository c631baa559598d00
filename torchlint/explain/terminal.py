"""The manual on a terminal: folded to its width, in its colours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from itertools import groupby
from textwrap import indent, wrap

from torchlint.explain.pages import DEFAULT, Page, on
from torchlint.manual import Entry, paragraphs
from torchlint.programs import Program, unmarked
from torchlint.terminal.style import Style

_INDENT = 4
_COMMENT = re.compile(r"#[^\"']*$")
# Lines longer than this are hard to follow, however wide the window is.
_WIDEST = 100
_NARROWEST = 24
_BULLET = "- "


def page_as_text(page: Page, *, color: bool = False, width: int | None = None) -> str:
    """Return a page; without a width, its paragraphs keep their author's line breaks."""
    style = Style(color)
    summary, _, reasons = page.entry.text.partition("\n")
    parts = [_title(page, style), style.bold(summary), _folded(reasons.strip(), width), *_sections(page, style)]
    return "\n\n".join(part for part in parts if part) + "\n"


def list_as_text(entries: Sequence[Entry], *, color: bool = False, width: int | None = None) -> str:
    """Return the list, a line for each rule; on a terminal, longer ones are wrapped."""
    style = Style(color)
    widest = max((len(found.name) for found in entries), default=0)
    lines: list[str] = []
    for group, members in groupby(entries, key=lambda found: found.group):
        lines.append(style.bold(group))
        for found in members:
            severity = style.grave(f"{found.severity.value:<7}", found.severity)
            before = f"  {found.name:<{widest}}  {severity}  {found.confidence.value:<6}  "
            margin = widest + len("    warning  medium  ")
            mark = "" if on(found) == DEFAULT else f"({on(found)}) "
            summary = f"{mark}{found.summary}"
            first, *others = _wrapped(summary, width and width - margin) or [""]
            lines += [before + first, *(" " * margin + other for other in others)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _title(page: Page, style: Style) -> str:
    severity, *facts = page.facts
    return f"{style.bold(page.entry.name)}: {style.grave(severity, page.entry.severity)}, {', '.join(facts)}"


def _sections(page: Page, style: Style) -> Iterator[str]:
    """Yield what follows the rule's own text, each part under its heading."""
    if page.options:
        yield _section("Options", page.options, style)
    if page.bad:
        claims = (f"{key:<9} {value}" for key, value in page.claims.items())
        yield _section("Proof", "\n".join([*claims, *page.proof]), style)
    if page.bad:
        path = page.bad[0].path
        yield _section(f"Bad: `# error` marks what is reported ({path})", _program(page.bad[0], style), style)
    if page.good:
        yield _section(f"Good ({page.good[0].path})", _program(page.good[0], style), style)
    if page.bad and page.fixed:
        yield _section(f"Fixed ({page.fixed[0].path})", _mended(page, style), style)
    yield _section("To suppress it", page.comments + page.settings, style)


def _section(heading: str, text: str, style: Style) -> str:
    return f"{style.bold(heading)}\n{indent(text.strip(), ' ' * _INDENT)}"


def _program(program: Program, style: Style) -> str:
    """Return a program with its comments in a faint colour, except for the marks."""
    lines = (_COMMENT.sub(lambda found: _comment(found[0], style), line) for line in program.text.strip().split("\n"))
    return "\n".join(lines)


def _comment(text: str, style: Style) -> str:
    return style.marked(text) if text.startswith("# error") else style.faint(text)


def _mended(page: Page, style: Style) -> str:
    """Return the diff of fixing the first program that can be fixed."""
    fixed = page.fixed[0]
    name = fixed.name.replace("fixed", "bad", 1)
    before = next((program for program in page.bad if program.name == name), page.bad[0])
    was, now = (unmarked(program.text).splitlines() for program in (before, fixed))
    changes = [*unified_diff(was, now, n=1, lineterm="")][2:]
    return "\n".join(style.changed(line, line[:1]) for line in changes)


def _folded(text: str, width: int | None) -> str:
    if width is None:
        return text
    return "\n\n".join("\n".join(_folded_part(part, width)) for part in paragraphs(text))


def _folded_part(part: str | tuple[str, ...], width: int) -> Iterator[str]:
    """Yield the lines of a paragraph or of a list, whose items continue below their first words."""
    if isinstance(part, str):
        yield from _wrapped(part, width)
        return
    for item in part:
        first, *others = _wrapped(item, width - len(_BULLET)) or [""]
        yield from (f"{_BULLET}{first}", *(" " * len(_BULLET) + other for other in others))


def _wrapped(text: str, width: int | None) -> list[str]:
    if width is None or width < _NARROWEST:
        return [text]
    return wrap(text, min(width, _WIDEST), break_long_words=False, break_on_hyphens=False)
