"""What a call does with a device, in the words of a trace."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.pytorch.moves import MOVES

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.place import Place


def used_there(used: Place) -> Step:
    """Return the step where a device is used: a module or tensor that is moved to it is no device itself."""
    match used.expression:
        case ast.Call(func=ast.Attribute(attr=name)) if name in MOVES:
            return used.step("moved to it here")
        case _:
            return used.step("used as a device here")
