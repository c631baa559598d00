"""Files that hold whole modules, by what the project saves in them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchlint.model.holding import files_holding

from .saved import pickled_modules
from .saved_contents import saved_into

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def module_in_file(ev: Evaluator, path: Place) -> Place | None:
    """Return a module that a file holds, whichever call of the project has saved it, alone or beside other things."""
    saved = saved_into(ev, path)
    modules = ev.project.once(_saved_modules)
    found = [modules.get(one.call.expression) for one in saved]
    return found[0] if found and all(found) else None


def is_dict_in_file(ev: Evaluator, path: Place) -> bool:
    """Tell whether a file holds a state dict or another dict, by all that the project saves in it."""
    saved = saved_into(ev, path)
    return bool(saved) and all(one.is_state or one.keys is not None for one in saved)


def _saved_modules(ev: Evaluator) -> Mapping[ast.expr, Place]:
    """Return a module of each call that saves some, by the call."""
    found = (one for file in files_holding(ev, ("save(",)) for one in pickled_modules(ev, file))
    return {one.saved_at.expression: one.place for one in found}
