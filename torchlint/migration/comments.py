"""Comments that suppress what another linter reports, rewritten to suppress the findings of our rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from torchlint.finding import Edit, Finding
from torchlint.fixing.draft import Draft
from torchlint.migration.codes import CODES, Code
from torchlint.source import read_source
from torchlint.suppression.comments import Comment, comments_of
from torchlint.suppression.directives import Order, directives
from torchlint.suppression.removal import without

_CODE = re.compile(r"[A-Za-z]+[0-9]+(?!\w)")
_LIST = rf"({_CODE.pattern}(?:[ \t]*[, \t][ \t]*{_CODE.pattern})*)"
# With another linter in front and on a line of its own, it is about the whole file.
_NOQA = re.compile(rf"#[ \t]*((?:flake8|ruff)[ \t]*[:=][ \t]*)?noqa[ \t]*:[ \t]*{_LIST}", re.IGNORECASE)
_NOSONAR = re.compile(rf"#[ \t]*()NOSONAR[ \t]*\([ \t]*{_LIST}[ \t]*\)")
_MENTIONED = re.compile("|".join(CODES).encode(), re.IGNORECASE)


@dataclass(slots=True)
class Migrated:
    """A file after the migration of its comments.

    `idle` are the lines of comments that went, as no rule reports anything there; `left` are codes without a rule.
    """

    before: bytes
    after: bytes
    comments: int = 0
    idle: list[int] = field(default_factory=list[int])
    left: set[str] = field(default_factory=set[str])


def mentions_codes(data: bytes) -> bool:
    """Tell whether a file may have a comment with a code of the table."""
    return _MENTIONED.search(data) is not None


def migrated(shown: str, data: bytes, findings: Sequence[Finding]) -> Migrated:
    """Return a file with its comments migrated; the findings are those of the table's rules, without suppression.

    Raises `UnreadableSourceError` for what is no Python, and `CannotBeKeptError` where a comment cannot be written.
    """
    text = read_source(shown, data).text
    done = Migrated(data, data)
    edits = [
        edit for comment in comments_of(text)[0] for edit in _of_comment(comment, text.split("\n"), findings, done)
    ]
    if edits:
        done.after = Draft(shown, data).edited(edits)
    return done


@dataclass(frozen=True, slots=True)
class _Codes:
    """The codes that a comment lists, and where: `whole` is all of it, `listed` the list."""

    words: tuple[str, ...]
    whole: range
    listed: range
    separator: str
    is_of_file: bool

    @property
    def ours(self) -> list[Code]:
        """Return those of the table."""
        return [code for word in self.words if (code := CODES.get(word.upper())) is not None]

    @property
    def kept(self) -> list[str]:
        """Return those that stay as they are: of linters that are still used, and without a rule here."""
        return [word for word in self.words if (code := CODES.get(word.upper())) is None or not code.is_replaced]


def _codes_in(comment: Comment) -> Iterator[_Codes]:
    for pattern in (_NOQA, _NOSONAR):
        for found in pattern.finditer(comment.text):
            words = tuple(_CODE.findall(found[2]))
            separator = found[2][len(words[0]) :].partition(words[1])[0] if len(words) > 1 else ""
            is_of_file = bool(found[1])
            if comment.is_alone or not is_of_file:
                yield _Codes(words, range(*found.span()), range(*found.span(2)), separator, is_of_file)


def _of_comment(comment: Comment, lines: Sequence[str], findings: Iterable[Finding], done: Migrated) -> Iterator[Edit]:
    """Yield the edits of a comment, and note what was done."""
    named = {order.name for order in directives(comment) if isinstance(order, Order) and order.verb != "noqa"}
    for codes in _codes_in(comment):
        done.left.update(code.name for code in codes.ours if not code.every_rule)
        reported = {one.rule for one in findings if codes.is_of_file or one.span.line in comment.lines}
        names = dict.fromkeys(name for code in codes.ours for name in code.every_rule if name in reported)
        words = _directive(codes, [name for name in names if name not in named])
        named.update(names)
        if edits := _edits(comment, lines, codes, words):
            done.comments += 1
            done.idle += [] if names else [comment.line]
            yield from edits


def _directive(codes: _Codes, names: Sequence[str]) -> str:
    return f"# torchlint: {'file-ignore' if codes.is_of_file else 'ignore'}[{', '.join(names)}]" if names else ""


def _edits(comment: Comment, lines: Sequence[str], codes: _Codes, words: str) -> list[Edit]:
    """Return the edits that take out what is replaced, and write our own words: in its place, or after the others."""
    if not codes.kept:
        if words:
            return [Edit(comment.span(codes.whole.start, codes.whole.stop), words)]
        return list(without(comment, codes.whole, lines).edits)
    edits: list[Edit] = []
    if len(codes.kept) < len(codes.words):
        listed = codes.separator.join(codes.kept)
        edits.append(Edit(comment.span(codes.listed.start, codes.listed.stop), listed))
    if words:
        edits.append(_after(comment, lines, codes, words))
    return edits


def _after(comment: Comment, lines: Sequence[str], codes: _Codes, words: str) -> Edit:
    """Return the edit that writes a directive behind a comment; that of a file needs a line of its own."""
    end = len(comment.text)
    if codes.is_of_file:
        indent = lines[comment.line - 1][: comment.column - 1]
        return Edit(comment.span(0, 0), f"{words}\n{indent}")
    return Edit(comment.span(end, end), f"  {words}")
