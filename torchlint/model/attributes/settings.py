"""Objects that hold settings: `cfg = CfgNode()`, `cfg.MODEL.DEVICE = "cuda"`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.attributes.namespaces import is_for_settings, of_namespace
from torchlint.model.attributes.object_attributes import stored_here
from torchlint.model.options.defaults import option_of
from torchlint.model.options.option_stores import taken_back
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Literal, Possibility, Unknown, ValueSet
from torchlint.syntax.device_words import is_about_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def of_settings(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    """Return what an object for settings holds under a name: its default, which a file may replace.

    As with options, settings about devices have their defaults, and a group of settings is never replaced whole.
    """
    near, is_open = stored_here(ev, place, name)
    if near and not is_open:
        return near
    found = of_namespace(ev, place, owner, name)
    if all(isinstance(one.value, Unknown) for one in found):
        return option_of(ev, place, name) or found
    if all(is_for_settings(one) for one in found):
        return found
    if is_about_device(name) and ev.has_defaults:
        return _left(ev, place, owner, name, found)
    return either(found, UNKNOWN)


def _left(ev: Evaluator, place: Place, owner: Possibility, name: str, default: ValueSet) -> ValueSet:
    """Return the default of a setting, unless code that checks for CUDA replaces it."""
    if ev.has_cuda is not False or owner.origin is None:
        return default
    if not any(isinstance(one.value, Literal) and str(one.value.value).startswith("cuda") for one in default):
        return default
    return taken_back(ev, place, name, owner.origin.file) or default
