"""Paths that a framework's trainer stores after it has saved: `checkpoint.best_model_path`.

They are empty before this run trains, so the file is its own.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.training.fitting import LIGHTNING, is_made_of
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# https://lightning.ai/docs/pytorch/stable/api/lightning.pytorch.callbacks.ModelCheckpoint.html
_SAVING = re.compile(r"(pytorch_lightning|lightning)\.(\w+\.)*ModelCheckpoint")
_PATHS = frozenset({"best_model_path", "last_model_path", "kth_best_model_path"})


def is_saved_by_trainer(ev: Evaluator, path: Place) -> bool:
    """Tell whether a path is one that this run's trainer has saved to, as it is written or was assigned here."""
    return any(
        isinstance(inner, ast.Attribute) and inner.attr in _PATHS and _saves(ev, place.at(inner.value))
        for place in (path, *_assigned(path))
        for inner in walk(place.expression)
    )


def _assigned(path: Place) -> tuple[Place, ...]:
    """Return what a name is assigned, if it is assigned only once."""
    match path.expression:
        case ast.Name(id=name):
            bindings = path.scope.bindings.get(name, ())
            values = ((one.value, one.statement) for one in bindings if one.value is not None)
            return tuple(Place(path.file, *value) for value in values) if len(bindings) == 1 else ()
        case _:
            return ()


def _saves(ev: Evaluator, owner: Place) -> bool:
    """Tell whether something saves for a trainer, directly or as `trainer.checkpoint_callback`."""
    match owner.expression:
        case ast.Attribute(value=trainer, attr="checkpoint_callback") if is_made_of(ev, owner.at(trainer), LIGHTNING):
            return True
        case _:
            return is_made_of(ev, owner, _SAVING)
