"""An addition to a value that outlives the step."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class Addition:
    """A statement that adds a value to something that outlives the step: a sum, a list."""

    place: Place
    value: Place
    container: str
    key: ast.expr | None = None
    """The key that it is stored under: a second store under one key replaces the first."""

    @property
    def is_listed(self) -> bool:
        """Tell whether it is added to a list by a call, and not to a sum."""
        call = self.place.expression
        return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and not call.func.attr.endswith("_")

    @property
    def root(self) -> str:
        """Return the name or the attribute of what is added to: `sums` of `sums[..., 0]`."""
        return self.container.partition("[")[0]

    @property
    def name(self) -> str:
        """Return the root name: `meter` of `meter.sums`."""
        return self.root.partition(".")[0]
