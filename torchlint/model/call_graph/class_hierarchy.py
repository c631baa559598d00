"""Classes of the project: their bases and methods."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.inference.limits import FAR
from torchlint.model.containers.displays import elements_of
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.plain import plain
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Built,
    Class,
    Function,
    Generated,
    Imported,
    Instance,
    Possibility,
    Value,
    ValueSet,
)
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.modules import MODULE_BASES, MODULE_SPACES, OTHER_FRAMEWORKS
from torchlint.pytorch.wrappers import WRAPPERS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Scope

# What more files mention is no part of one program: they are all written with it.
_MOST_BUILDING = 12


def family(ev: Evaluator, kind: Class) -> Iterable[Class | str]:
    """Return a class and its bases, nearest first; those outside the project by their full names."""
    found = _plain_family(kind)
    return found if found is not None else _family(ev.evaluate, kind)


def are_related(ev: Evaluator, one: Class, other: Class) -> bool:
    """Tell whether two classes are one, or either is a base of the other."""
    return one in family(ev, other) or other in family(ev, one)


def _plain_family(kind: Class) -> tuple[Class | str, ...] | None:
    """Return the family of a class whose bases are plain expressions, None if it takes queries."""
    asked, families = kind.file.project.library.dependencies, kind.file.families
    if (known := families.get(kind.scope)) is None:
        known = families[kind.scope] = asked.answered(lambda: _known_family(kind))
    return asked.recalled(known)


def _known_family(kind: Class) -> tuple[Class | str, ...] | None:
    def named(base: Place) -> ValueSet:
        if (found := plain(base)) is None:
            raise _NotPlainError
        return found

    try:
        return tuple(_family(named, kind))
    except _NotPlainError:
        return None


class _NotPlainError(Exception):
    """A base is no plain name."""


def _family(named: Callable[[Place], ValueSet], kind: Class) -> Iterator[Class | str]:
    seen: set[Class | str] = set()
    waiting: list[tuple[Class | str, int]] = [(kind, 0)]
    while waiting:
        one, above = waiting.pop()
        if one not in seen:
            seen.add(one)
            yield one
            bases = _bases(named, one) if isinstance(one, Class) and above <= FAR else ()
            waiting += reversed([(base, above + 1) for base in bases])


def _bases(named: Callable[[Place], ValueSet], kind: Class) -> Iterator[Class | str]:
    node = kind.scope.node
    if not isinstance(node, ast.ClassDef):
        return
    for one in (one for base in node.bases for one in named(Place(kind.file, base, node))):
        match one.value:
            case Class():
                yield one.value
            case Imported(name=name):
                yield canonical(name)


def imported_bases(ev: Evaluator, kind: Class) -> Iterator[str]:
    """Yield the full names of a class's bases outside the project."""
    return (base for base in family(ev, kind) if isinstance(base, str))


def is_module(ev: Evaluator, value: Value) -> bool:
    """Tell whether a value is an nn.Module."""
    match value:
        case Built(name=name):
            return _is_base(name) or (name.startswith(MODULE_SPACES) and not name.endswith("Parameter"))
        case Instance(kind=kind):
            return any(is_module_class(base) for base in imported_bases(ev, kind))
        case _:
            return False


def is_module_class(name: str) -> bool:
    """Tell whether a class outside the project is a module, or a kind of module."""
    is_ours = name.endswith(("Module", "PreTrainedModel")) and name.partition(".")[0] not in OTHER_FRAMEWORKS
    # Lightning's LightningDataModule makes loaders, and is no nn.Module.
    if name.endswith("DataModule"):
        return False
    return _is_base(name) or name.startswith(MODULE_SPACES) or is_ours


def _is_base(name: str) -> bool:
    return name in MODULE_BASES or name in WRAPPERS


def method_of(ev: Evaluator, kind: Class, name: str, receiver: Possibility | None = None) -> Function | None:
    """Return the method of a class with that name, its own or inherited within the project."""
    receiver = typical(ev, receiver) if receiver is not None else None
    return _method_in(family(ev, kind), name, receiver)


def plain_method(kind: Class, name: str) -> Function | None:
    """Return the method of a class with a name, if its family takes no query."""
    return _method_in(_plain_family(kind) or (), name, None)


def _method_in(classes: Iterable[Class | str], name: str, receiver: Possibility | None) -> Function | None:
    for one in classes:
        if isinstance(one, Class):
            for binding in reversed(one.scope.bindings.get(name, [])):
                if binding.kind == "function" and binding.scope is not None:
                    return Function(one.file, binding.scope, receiver)
    return None


def typical(ev: Evaluator, one: Possibility) -> Possibility:
    """Return the representative of an object's class, if so many objects are built that they are not distinguished."""
    if one.origin is None or not isinstance(one.value, Instance):
        return one
    is_common = len(ev.project.library.holding(one.value.kind.scope.name)) > _MOST_BUILDING
    return Possibility(one.value, None, one.story) if is_common else one


def iterated(ev: Evaluator, one: Possibility) -> ValueSet | None:
    """Return what iterating over an object yields by its own `__iter__` or `__getitem__`, None if it has neither."""
    assert isinstance(one.value, Instance)
    if (method := method_of(ev, one.value.kind, "__iter__", one)) is not None:
        if method.scope.yields:
            return ev.elements(Possibility(Generated(method, None)))
        return either(*(_step_through(ev, inner) for inner in ev.returned(method, None)))
    if (method := method_of(ev, one.value.kind, "__getitem__", one)) is not None:
        return ev.returned(method, None)
    return None


def _step_through(ev: Evaluator, iterator: Possibility) -> ValueSet:
    """Return what an iterator yields: an object of the project by its `__next__`."""
    if isinstance(iterator.value, Instance):
        method = method_of(ev, iterator.value.kind, "__next__", iterator)
        return ev.returned(method, None) if method is not None else UNKNOWN
    return elements_of(ev, (iterator,))


def built_by(ev: Evaluator, function: Function) -> list[Scope]:
    """Return the classes whose objects a function constructs: its own, and the subclasses that inherit it."""
    kind = function.scope.outer
    # fastai's `@patch` makes methods of functions outside a class.
    if function.scope.name != "__init__" or kind is None or kind.kind != "class":
        return []
    heirs = ev.subclasses(Class(function.file, kind))
    methods = [(heir.scope, method_of(ev, heir, "__init__")) for heir in heirs]
    return [kind, *(heir for heir, method in methods if method is not None and method.scope is function.scope)]
