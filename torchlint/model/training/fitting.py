"""Calls by which a framework's trainer trains: no loop of the project does."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import imported_bases
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Function, Instance

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

LIGHTNING = re.compile(r"(pytorch_lightning|lightning)\.(\w+\.)*Trainer")
# The methods that run all epochs, and their classes: https://lightning.ai/docs/pytorch/stable/common/trainer.html#fit
# https://huggingface.co/docs/transformers/main_classes/trainer#transformers.Trainer.train
_METHODS = {"fit": LIGHTNING, "train": re.compile(r"(transformers|trl)\.(\w+\.)*\w*Trainer")}


def fits(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call trains with a framework's trainer: `trainer.fit(model)`."""
    match call.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in _METHODS:
            return is_made_of(ev, call.at(owner), _METHODS[name])
        case _:
            return False


def holds_fit(ev: Evaluator, function: Function) -> bool:
    """Tell whether a function trains with a framework's trainer."""
    index = function.file.index
    calls = (Place(function.file, *call) for name in _METHODS for call in index.calls(name))
    return any(call.scope is function.scope and fits(ev, call) for call in calls)


def is_made_of(ev: Evaluator, place: Place, kinds: re.Pattern[str]) -> bool:
    """Tell whether something may be an object of a framework's class, or of a subclass."""
    for one in ev.evaluate(place):
        match one.value:
            case Built(name=name) if kinds.fullmatch(name):
                return True
            case Instance(kind=kind) if any(map(kinds.fullmatch, imported_bases(ev, kind))):
                return True
    return False
