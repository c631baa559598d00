"""The form of a statement: its tree in LibCST, with all that was written, and the nodes of its expressions there.

What code means is asked of Python's own tree. What it looks like, and what it looks like once it is fixed, is up to
this one: brackets, commas, comments and line breaks are nodes of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.finding import Edit, Span

if TYPE_CHECKING:
    import libcst as cst

    from torchlint.syntax.site import Site

    Change: TypeAlias = Callable[[cst.CSTNode], cst.CSTNode]
    """Returns what is to stand in the place of a node, whose children are changed by then."""

_WITHIN_WORD = re.compile(r"\w\w")
# A statement within a block is parsed within one.
_BLOCK = "if 1:\n"
# An `elif` is parsed behind a test.
_HEAD = "if 1: pass\n"


@dataclass(frozen=True, slots=True)
class StatementForm:
    """A statement that LibCST has parsed."""

    module: cst.Module
    site: Site
    span: Span
    """That of the statement, its decorators included."""
    before: str
    """What the module has before the statement."""

    @property
    def node(self) -> cst.BaseStatement:
        """Return the statement."""
        import libcst as cst

        found: cst.CSTNode | None = self.module.body[0]
        if self.before.startswith(_BLOCK):
            assert isinstance(found, cst.If)
            found = found.body.body[0]
        if self.before.rstrip(" \t").endswith(_HEAD):
            assert isinstance(found, cst.If)
            found = found.orelse
        assert isinstance(found, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        return found

    def edits(self, changes: Mapping[ast.expr, Change], whole: Change | None = None) -> tuple[Edit, ...]:
        """Return the edit that changes expressions of the statement, and then the statement itself.

        None if any of the expressions is no node of its own.
        """
        nodes = self._nodes(changes)
        if len(nodes) != len(changes):
            return ()
        ways = {node: changes[expression] for node, expression in nodes.items()}
        if whole is not None:
            ways[self.node] = whole
        changed = self.module.visit(_transformer(ways))
        return self._least(changed.code.removeprefix(self.before))

    def _nodes(self, expressions: Iterable[ast.expr]) -> dict[cst.CSTNode, ast.expr]:
        """Return the nodes of some expressions of Python's tree."""
        import libcst as cst
        from libcst.metadata import MetadataWrapper, PositionProvider

        wanted = {self._position(self.site.file.span_of(one)): one for one in expressions}
        positions = MetadataWrapper(self.module, unsafe_skip_copy=True).resolve(PositionProvider)
        return {
            node: wanted[where]
            for node, found in positions.items()
            if isinstance(node, cst.BaseExpression)
            and (where := (found.start.line, found.start.column, found.end.line, found.end.column)) in wanted
        }

    def _position(self, span: Span) -> tuple[int, int, int, int]:
        """Return where the module has what the file has at a span, as LibCST counts: columns from 0."""
        down = self.before.count("\n") + 1 - self.span.line
        return span.line + down, span.column - 1, span.end_line + down, span.end_column - 1

    def _least(self, new: str) -> tuple[Edit, ...]:
        """Return the edit of the statement that leaves out what begins and ends it as before; none if all does."""
        old = self.module.code.removeprefix(self.before)
        if old == new:
            return ()
        first = _same(old, new, min(len(old), len(new)))
        last = _same(old[::-1], new[::-1], min(len(old), len(new)) - first)
        start, end = self._behind(old[:first]), self._behind(old[: len(old) - last])
        return (Edit(Span(*start, *end), new[first : len(new) - last]),)

    def _behind(self, text: str) -> tuple[int, int]:
        """Return the line and the column behind a text with which the statement begins."""
        lines = text.count("\n")
        column = len(text) - text.rfind("\n") if lines else self.span.column + len(text)
        return self.span.line + lines, column


def form_of(site: Site) -> StatementForm | None:
    """Return the form of the statement of a site; None for what LibCST cannot parse, or not soon."""
    import libcst as cst

    from torchlint.newer.nesting import is_soon_parsed

    span = _whole(site)
    text = site.file.text_between(Span(span.line, span.column, span.line, span.column), span)
    # What comes before it on its line is another statement, or the head of its block.
    before = site.file.line(span.line)[: span.column - 1]
    indent = before if not before.strip() else " " * len(before)
    before = f"{_BLOCK}{indent}" if indent else ""
    if text.startswith("elif"):
        before += f"{_HEAD}{indent}"
    if not is_soon_parsed(text):
        return None
    try:
        module = cst.parse_module(f"{before}{text}")
    except (cst.ParserSyntaxError, cst.CSTLogicError, RecursionError):
        return None
    return StatementForm(module, site, span, before) if module.code == f"{before}{text}" else None


def _whole(site: Site) -> Span:
    """Return the span of a statement, its decorators included."""
    span, decorators = site.file.span_of(site.statement), getattr(site.statement, "decorator_list", ())
    return Span(decorators[0].lineno, span.column, span.end_line, span.end_column) if decorators else span


def _transformer(ways: Mapping[cst.CSTNode, Change]) -> cst.CSTTransformer:
    import libcst as cst

    class Changing(cst.CSTTransformer):
        def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
            change = ways.get(original_node)
            return change(updated_node) if change is not None else updated_node

    return Changing()


def _same(one: str, other: str, most: int) -> int:
    """Return how many characters two texts begin with in common, without a part of a word."""
    found = next((i for i in range(most) if one[i] != other[i]), most)
    rest = (one[found : found + 1], other[found : found + 1])
    while found and any(_WITHIN_WORD.match(f"{one[found - 1]}{behind}") for behind in rest):
        found -= 1
        rest = (one[found], other[found])
    return found
