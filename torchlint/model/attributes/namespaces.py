"""Objects that hold what they are given by name, and do nothing with it: `SimpleNamespace(device="cuda")`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.options.option_stores import stored_option
from torchlint.model.place import Place
from torchlint.model.values.possible import UNKNOWN, Built, Possibility, Possible, either

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.values.evaluator import Evaluator

NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace"})


def is_namespace(owner: Possibility) -> bool:
    """Tell whether something is a namespace that is made where it comes from."""
    is_made = owner.origin is not None and isinstance(owner.origin.expression, ast.Call)
    return is_made and isinstance(owner.value, Built) and owner.value.name in NAMESPACES


def of_namespace(ev: Evaluator, place: Place, owner: Possibility, name: str) -> Possible:
    """Return what a namespace holds by a name: what it was given, if nothing was put there since."""
    assert owner.origin is not None
    call = owner.origin.expression
    words = call.keywords if isinstance(call, ast.Call) else []
    given = next((ev.evaluate(owner.origin.at(word.value)) for word in words if word.arg == name), UNKNOWN)
    if not isinstance(place.expression, ast.Attribute):
        return given
    stored = stored_option(ev, place, place.expression.value, name, [owner.origin.file], owner.origin)
    is_settled = not stored.settled_by.isdisjoint({place.file, owner.origin.file})
    return stored.values if is_settled else either(stored.values, given)


def given_by_name(file: SourceFile) -> Iterator[tuple[str, Place]]:
    """Yield what a file gives to namespaces, or to what is called like them, with its name there."""
    for kind in sorted(name.rpartition(".")[2] for name in NAMESPACES):
        for call, statement in file.index.calls(kind):
            yield from ((word.arg, Place(file, word.value, statement)) for word in call.keywords if word.arg)
