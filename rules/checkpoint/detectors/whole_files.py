"""Files that hold whole modules, by what the project saves in them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchlint.model.holding import files_holding

from .file_identity import ANY_FILE, files_of
from .saved import pickled_modules
from .saved_contents import saved_contents

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def module_in_file(ev: Evaluator, path: Place) -> Place | None:
    """Return a module that a file holds, whichever call of the project has saved it, alone or beside other things."""
    files = files_of(ev, path)
    if not files or files & ANY_FILE:
        return None
    saved = [one for one in ev.project.once(saved_contents) if one.files & (files | ANY_FILE)]
    if not saved or not files <= frozenset().union(*(one.files for one in saved)):
        return None
    modules = ev.project.once(_saved_modules)
    found = [modules.get(one.call.expression) for one in saved]
    return found[0] if all(found) else None


def _saved_modules(ev: Evaluator) -> Mapping[ast.expr, Place]:
    """Return a module of each call that saves some, by the call."""
    found = (one for file in files_holding(ev, ("save(",)) for one in pickled_modules(ev, file))
    return {one.saved_at.expression: one.place for one in found}
