"""Objects that store their arguments by name, and nothing else: `SimpleNamespace(device="cuda")`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.options.option_stores import stored_option
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Built, Instance, Possibility, ValueSet
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace"})
# https://github.com/rbgirshick/yacs#usage
SETTINGS = frozenset(
    {
        "yacs.config.CfgNode",
        "fvcore.common.config.CfgNode",
        "easydict.EasyDict",
        "ml_collections.ConfigDict",
        "ml_collections.config_dict.ConfigDict",
    }
)
"""What holds settings: a namespace that a file or the command line may fill again."""


def is_namespace(owner: Possibility) -> bool:
    """Tell whether something is a namespace, by the call that made it."""
    return _is_made_by(owner, NAMESPACES)


def is_for_settings(owner: Possibility) -> bool:
    """Tell whether something holds settings, by the call that made it: `CfgNode()`, a dict with attributes."""
    return _is_made_by(owner, SETTINGS) or _is_dict_with_attributes(owner)


def _is_dict_with_attributes(owner: Possibility) -> bool:
    """Tell whether something is an object of a class of the project that looks attributes up among its items."""
    if (
        not isinstance(owner.value, Instance)
        or owner.origin is None
        or not isinstance(owner.origin.expression, ast.Call)
    ):
        return False
    scope = owner.value.kind.scope
    bases = scope.node.bases if isinstance(scope.node, ast.ClassDef) else []
    return (
        "__getattr__" in scope.bindings and "__init__" not in scope.bindings and list(map(last_name, bases)) == ["dict"]
    )


def _is_made_by(owner: Possibility, makers: frozenset[str]) -> bool:
    is_made = owner.origin is not None and isinstance(owner.origin.expression, ast.Call)
    return is_made and isinstance(owner.value, Built) and owner.value.name in makers


def of_namespace(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    """Return what a namespace holds under a name: its argument, if nothing was stored there since."""
    assert owner.origin is not None
    given = _given(ev, owner.origin, name)
    if not isinstance(place.expression, ast.Attribute):
        return given
    files = dict.fromkeys((owner.origin.file, *_calling_files(place)))
    stored = stored_option(ev, place, place.expression.value, name, files, owner.origin)
    is_settled = not stored.settled_by.isdisjoint({place.file, *files})
    return stored.values if is_settled else either(stored.values, given)


def _calling_files(place: Place) -> Iterator[ParsedFile]:
    """Yield the files of the calls that lead to a place: one of them may have changed what it passes on."""
    frame = place.frame
    while frame is not None and frame.call is not None:
        yield frame.call.file
        frame = frame.call.frame


def _given(ev: Evaluator, made: Place, name: str) -> ValueSet:
    """Return what the call that makes a namespace passes for a name: `Namespace(lr=0.1)`, `CfgNode({"LR": 0.1})`."""
    call = made.expression
    assert isinstance(call, ast.Call)
    for word in call.keywords:
        if word.arg == name:
            return ev.evaluate(made.at(word.value))
    return either(*(ev.item((one, name)) for whole in call.args[:1] for one in ev.evaluate(made.at(whole)))) or UNKNOWN


def given_by_name(file: ParsedFile) -> Iterator[tuple[str, Place]]:
    """Yield the arguments that a file passes to namespaces, or to callees with the name of one, with their names."""
    for kind in sorted({name.rpartition(".")[2] for name in NAMESPACES | SETTINGS}):
        for call, statement in file.index.calls(kind):
            yield from ((word.arg, Place(file, word.value, statement)) for word in call.keywords if word.arg)
