"""A site: an expression in a file."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.finding import Span, Step
from torchlint.syntax.last_names import is_dotted_name

if TYPE_CHECKING:
    import libcst as cst

    from torchlint.syntax.guardedfile import GuardedFile
    from torchlint.syntax.scope import Scope


class Site:
    """An expression in a file and its statement."""

    __slots__ = ("expression", "file", "statement")

    def __init__(self, file: GuardedFile, expression: ast.expr, statement: ast.stmt) -> None:
        self.file = file
        self.expression = expression
        self.statement = statement

    def at(self, expression: ast.expr) -> Site:
        """Return another expression of the same statement."""
        return Site(self.file, expression, self.statement)

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
        """Return the span of the expression, in code points."""
        return self.file.span_of(self.expression)

    @property
    def text(self) -> str:
        """Return the source text of the expression."""
        return self.file.text_of(self.expression)

    @property
    def code(self) -> str:
        """Return the source text of the expression, with spaces in place of its comments."""
        return self.file.code_of(self.expression)

    @property
    def node(self) -> cst.BaseExpression:
        """Return the expression as a node of LibCST, with its comments and line breaks."""
        import libcst as cst

        # In the statement's parentheses an expression may continue over several lines.
        wrapped = f"({self.text}\n)" if "\n" in self.text else self.text
        return cst.parse_expression(wrapped)

    def step(self, words: str, *, is_assumed: bool = False) -> Step:
        """Return it as a step of a finding's trace."""
        return Step(self.path, self.span, words, is_assumed=is_assumed)

    @property
    def key(self) -> tuple[str, int, int, int, int]:
        """Return what distinguishes places in files, whatever their call context."""
        node = self.expression
        return (self.path, node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)

    @property
    def line(self) -> int:
        """Return the line on which the expression starts."""
        return self.expression.lineno

    @property
    def word(self) -> str:
        """Return the last name of a name or attribute: `encoder` of `model.encoder`; empty for anything else."""
        match self.expression:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name
            case _:
                return ""

    @property
    def is_statement(self) -> bool:
        """Tell whether the expression is a statement of its own: its result is discarded."""
        return isinstance(self.statement, ast.Expr) and self.statement.value is self.expression

    @property
    def is_in_text(self) -> bool:
        """Tell whether the expression is a part of an f-string."""
        parents: dict[ast.AST, ast.AST] = self.file.parents_in(self.statement)
        around = parents.get(self.expression)
        while around is not None and not isinstance(around, ast.JoinedStr):
            around = parents.get(around)
        return around is not None

    @property
    def is_local(self) -> bool:
        """Tell whether the expression is a name that the same function or file binds."""
        scope = self.scope
        is_own = isinstance(self.expression, ast.Name) and self.expression.id in scope.bindings
        return is_own and self.word not in scope.outside

    @property
    def is_constant(self) -> bool:
        """Tell whether the expression is a constant by itself."""
        return isinstance(self.expression, ast.Constant)

    @property
    def is_name(self) -> bool:
        """Tell whether the expression is a name with attributes, which computes nothing."""
        return is_dotted_name(self.expression)

    @property
    def is_returned(self) -> bool:
        """Tell whether the expression is what the function returns."""
        return isinstance(self.statement, ast.Return) and self.statement.value is self.expression
