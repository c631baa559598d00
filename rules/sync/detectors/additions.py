"""An addition to what lives on."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class JobCache:
    """A statement that adds a value to something that lives on: a sum, a list."""

    place: Place
    value: Place
    container: str
    key: ast.expr | None = None
    """What it is stored under: who stores twice under one key keeps the last."""

    @property
    def is_listed(self) -> bool:
        """Tell whether it is put into a list by a call, and not added up."""
        call = self.place.expression
        return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and not call.func.attr.endswith("_")

    @property
    def root(self) -> str:
        """Return the name or the attribute that holds what is added to: `sums` of `sums[..., 0]`."""
        return self.container.partition("[")[0]

    @property
    def name(self) -> str:
        """Return the name that leads to the root: `meter` of `meter.sums`."""
        return self.root.partition(".")[0]
