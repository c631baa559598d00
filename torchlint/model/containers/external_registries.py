"""Registries of libraries: what `@MODELS.register()` decorates is what `MODELS.get(name)` returns.

fvcore 0.1.5 (https://detectron2.readthedocs.io/en/latest/modules/fvcore.html#module-fvcore.common.registry) and
mmengine 0.10 (https://mmengine.readthedocs.io/en/latest/advanced_tutorials/registry.html), whose `build(config)` calls
the class as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.containers.registries import decorated, naming, sure_key
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Built, Class, Instance, Possibility, ValueSet, known
from torchlint.pytorch.companions import COMPANIONS
from torchlint.syntax.arguments import passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope

REGISTRIES = {name: method for companion in COMPANIONS for name, method in companion.registries.items()}
"""By the full name of a registry, the method that is its decorator."""


def method_of_registry(ev: Evaluator, place: Place, registry: Possibility, name: str) -> ValueSet:
    """Return what `registry.get(…)` returns, which are classes, or `registry.build(…)`, which are objects of them."""
    call = place.expression
    assert isinstance(call, ast.Call)
    if name not in {"get", "build"}:
        return UNKNOWN
    key = sure_key(ev, place.at(call.args[0])) if name == "get" and call.args else None
    kinds = list(_registered(ev, registry, key))
    return either(*(known(kind) if name == "get" else known(Instance(kind), place) for kind in kinds)) or UNKNOWN


def _registered(ev: Evaluator, registry: Possibility, key: object) -> Iterator[Class]:
    """Yield the classes that a registry has under a key, None for any."""
    assert isinstance(registry.value, Built)
    decorator = REGISTRIES[registry.value.name]
    for file in naming(ev, ev.project.library.using(decorator), registry.origin) or ():
        for scope, above in decorated(file, decorator):
            if scope.kind == "class" and key in {None, _name_of(scope, above)} and _is_of(ev, above, registry):
                yield Class(file, scope)


def _is_of(ev: Evaluator, above: Place, registry: Possibility) -> bool:
    """Tell whether a decorator is a method of a registry: `MODELS.register()`."""
    match above.expression:
        case ast.Call(func=ast.Attribute(value=owner)):
            return any(
                one.value == registry.value and one.origin == registry.origin for one in ev.evaluate(above.at(owner))
            )
        case _:
            return False


def _name_of(scope: Scope, above: Place) -> object:
    """Return the name that a class is registered under: its own, unless the decorator has another as argument."""
    given = passed(above.expression, "name")
    return given.value if isinstance(given, ast.Constant) else scope.name
