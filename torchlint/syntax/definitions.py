"""What gives a variable its values, and which of these may hold somewhere."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from torchlint.syntax.scope import BindingKind


class Definition(Protocol):
    """Whatever gives a variable a value: a binding of a name, a store into an attribute."""

    @property
    def statement(self) -> ast.stmt:
        """Return the statement that gives the value."""

    @property
    def kind(self) -> BindingKind:
        """Return how."""


AnyDefinition = TypeVar("AnyDefinition", bound=Definition)


@dataclass(frozen=True, slots=True)
class Reaching(Generic[AnyDefinition]):
    """The definitions that may hold, nearest first; `open` if an older value may hold as well."""

    definitions: tuple[AnyDefinition, ...]
    open: bool
