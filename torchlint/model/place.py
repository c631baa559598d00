"""A place: an expression in a file, and by which calls we came there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

from torchlint.finding import Span, Step

if TYPE_CHECKING:
    import libcst as cst

    from torchlint.model.scope import Scope
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.values import Possibility

Given: TypeAlias = "frozenset[tuple[str, bool]]"


class Frame:
    """One call on the way to a place: inside `function`, a lambda included, parameters stand for what `call` passes."""

    __slots__ = ("_hash", "call", "depth", "function", "receiver")

    def __init__(self, function: Scope | ast.Lambda, call: Place, receiver: Possibility | None = None) -> None:
        self.function = function
        self.call = call
        self.receiver = receiver
        self.depth: int = 1 + (call.frame.depth if call.frame else 0)
        self._hash = hash((id(function), call))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Frame)
            and self.function is other.function
            and self.call == other.call
            and self.receiver == other.receiver
        )


class Place:
    """An expression where it stands. Rules use `path`, `span`, `node` and `text`; the rest is the model's own.

    Places are the keys of everything that the model remembers, so their hash is made once.
    """

    __slots__ = ("_hash", "expression", "file", "frame", "given", "statement")

    def __init__(
        self,
        file: SourceFile,
        expression: ast.expr,
        statement: ast.stmt,
        frame: Frame | None = None,
        given: Given = frozenset(),
    ) -> None:
        self.file = file
        self.expression = expression
        self.statement = statement
        self.frame = frame
        self.given = given
        """What is presupposed besides the conditions of the place itself: tests of whoever asked, by their text."""
        self._hash = hash((id(expression), frame, given))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Place)
            and self.expression is other.expression
            and self.statement is other.statement
            and self.frame == other.frame
            and self.given == other.given
        )

    def at(self, expression: ast.expr) -> Place:
        """Return another expression of the same statement."""
        return Place(self.file, expression, self.statement, self.frame, self.given)

    @property
    def path(self) -> str:
        """Return the file's path as torchlint prints it."""
        return self.file.path

    @property
    def scope(self) -> Scope:
        """Return the scope in which the expression is evaluated."""
        return self.file.index.home[self.statement][0].scope

    @property
    def span(self) -> Span:
        """Return where the expression stands, in code points."""
        return self.file.span_of(self.expression)

    @property
    def text(self) -> str:
        """Return the expression as it is written."""
        return self.file.text_of(self.expression)

    @property
    def node(self) -> cst.BaseExpression:
        """Return the expression as LibCST reads it, its comments and line breaks kept."""
        import libcst as cst

        # Parentheses that belong to the statement let an expression run over several lines.
        wrapped = f"({self.text}\n)" if "\n" in self.text else self.text
        return cst.parse_expression(wrapped)

    def step(self, words: str) -> Step:
        """Return this place as a step of a finding's trace."""
        return Step(self.path, self.span, words)

    @property
    def key(self) -> tuple[str, int, int, int, int]:
        """Return what tells places in files apart, whichever calls lead there."""
        node = self.expression
        return (self.path, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
