"""Fixes of comments that suppress nothing: with the names of what they are meant to suppress."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass

from torchlint.finding import Edit, Fix, Span
from torchlint.nearest import nearest
from torchlint.suppression.coverage import FoundLines
from torchlint.suppression.directives import Mistake
from torchlint.suppression.nearmisses import Meant, normal
from torchlint.suppression.removal import removal, without

_ALWAYS = "it may be for a rule that did not run"
_RANGE = "it would also ignore findings on all later lines, up to an `enable`"
_LONGEST_LIST = 60


@dataclass(frozen=True, slots=True)
class Amending:
    """The input of such fixes: the lines of a file, the findings that no comment suppresses, and the known names.

    Those in `ran` were run completely; those in `renamed` are former names.
    """

    lines: Sequence[str]
    heard: FoundLines
    known: Collection[str]
    ran: Container[str]
    renamed: Mapping[str, str]

    def fix(self, mistake: Mistake) -> Fix | None:
        """Return the fix of a comment that does nothing, None if its purpose is unknown."""
        if mistake.meant is not None:
            return self._rewritten(mistake.meant)
        if mistake.order is None or not mistake.name:
            return removal(mistake.order, self.lines) if mistake.order else None
        edit = Edit(mistake.order.span, mistake.name)
        return Fix(f"Write `{mistake.name}`", (edit,), safe=not mistake.doubt, doubt=mistake.doubt)

    def advice(self, meant: Meant) -> str:
        """Return what to do about a comment that was meant to be another one."""
        names = self._names(meant)
        if not names and names is not None and meant.names:
            return "remove it"
        listed = ", ".join(names or ())
        words = f"# torchlint: {meant.verb}[{listed if 0 < len(listed) <= _LONGEST_LIST else 'rule'}]"
        return f"write `{words}`" if _stays(meant) else f"put `{words}` on a line of its own"

    def replacement(self, name: str, lines: range) -> str | None:
        """Return the replacement of an unknown name: empty if it would suppress nothing, None if it is open."""
        known = self._known_as(name, lines)
        if known is None:
            return None
        return known if self._is_of_use(known, lines) else ""

    def _rewritten(self, meant: Meant) -> Fix | None:
        names = self._names(meant)
        if names is None:
            return None
        return self._written(meant, names) if names else self._gone(meant, doubt="" if meant.names else _ALWAYS)

    def _names(self, meant: Meant) -> list[str] | None:
        """Return the names of what a comment is meant to suppress, None if one of its own is not known."""
        lines = self._covered(meant)
        if not meant.names:
            return self.heard.rules_on(lines)
        known = [self._known_as(name, lines) for name in meant.names]
        if None in known:
            return None
        return [name for name in dict.fromkeys(known) if name and self._is_of_use(name, lines)]

    def _gone(self, meant: Meant, doubt: str = "") -> Fix:
        return without(meant.comment, meant.stretch, self.lines, doubt)

    def _written(self, meant: Meant, names: Sequence[str]) -> Fix:
        comment, words = meant.comment, f"# torchlint: {meant.verb}[{', '.join(names)}]"
        doubt = _RANGE if meant.verb == "disable" else ""
        if _stays(meant):
            return Fix(f"Write `{words}`", (Edit(meant.span, words),), safe=not doubt, doubt=doubt)
        first = comment.lines.start
        statement = self.lines[first - 1]
        indent = statement[: len(statement) - len(statement.lstrip())]
        reason = comment.text[meant.stretch.stop :].partition("#")[0].rstrip()
        line = Edit(Span(first, 1, first, 1), f"{indent}{words}{reason}\n")
        edits = (line, *self._gone(meant).edits)
        return Fix(f"Put `{words}` on a line of its own", edits, safe=not doubt, doubt=doubt)

    def _covered(self, meant: Meant) -> range:
        """Return the lines that a comment would apply to."""
        if meant.verb == "ignore":
            return meant.comment.lines
        return range(1 if meant.verb == "file-ignore" else meant.comment.line, len(self.lines) + 1)

    def _known_as(self, name: str, lines: range) -> str | None:
        """Return the known name for another one: itself, but for its case, or a similar one with a finding there."""
        written = self.renamed.get(name, normal(name))
        if written in self.known:
            return written
        near = nearest(name, sorted(self.known))
        return near if near and self.heard.has(near, lines) else None

    def _is_of_use(self, name: str, lines: range) -> bool:
        return name not in self.ran or self.heard.has(name, lines)


def _stays(meant: Meant) -> bool:
    """Tell whether a comment can hold where it stands: behind code, only for its statement."""
    return meant.verb == "ignore" or meant.comment.is_alone
