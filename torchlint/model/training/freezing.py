"""Parameters that may be frozen: something in the program sets `requires_grad` to false."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.holding import files_holding
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import definitions
from torchlint.model.training.requires_grad_stores import requires_grad_stores
from torchlint.pytorch.grad_modes import FREEZING
from torchlint.pytorch.module_attributes import MODULES_OF, PARAMETERS_OF
from torchlint.pytorch.moves import MODES
from torchlint.syntax.around import is_self
from torchlint.syntax.closure import closure
from torchlint.syntax.last_names import root_of
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_BELOW = frozenset({*PARAMETERS_OF, *MODULES_OF, *MODES, "to"})


def may_be_frozen(ev: Evaluator, *places: Place) -> bool:
    """Tell whether what is at some places may be frozen: a part of what is frozen, by its names.

    What is frozen under a single name may have another name elsewhere, unless it is known to be another module.
    """
    names = [name for place in places for name in _dotted(ev, place)]
    return any(_concerns(ev, one, names) for frozen in _frozen(ev) for one in _dotted(ev, frozen))


def freezes_something(ev: Evaluator) -> bool:
    """Tell whether a program may freeze anything."""
    return any(True for _ in _frozen(ev))


def is_frozen_in(ev: Evaluator, files: AbstractSet[Path]) -> bool:
    """Tell whether some files freeze anything."""
    saying = {path for text in FREEZING for path in ev.project.library.holding(text)}
    asked = (ev.project.parsed(path) for path in sorted(saying & files))
    return any(True for file in asked if file is not None for _ in requires_grad_stores(file, False))


def _frozen(ev: Evaluator) -> Iterator[Place]:
    """Yield the tensors and modules whose `requires_grad` the files of a program set to false."""
    for file in files_holding(ev, FREEZING):
        yield from requires_grad_stores(file, False)


def _concerns(ev: Evaluator, frozen: Place, names: list[Place]) -> bool:
    """Tell whether what is frozen may contain what has one of these names."""
    text, scope = frozen.code, frozen.scope
    if any(one.scope is scope or (_is_of_self(frozen) and one.scope.outer is scope.outer) for one in names):
        return any(f"{one.code}.".startswith(f"{text}.") for one in names)
    if "." in text:
        return any(frozen.word in one.code.split(".") for one in names)
    return not all(_are_apart(ev, frozen, one) for one in names)


def _is_of_self(place: Place) -> bool:
    return place.code.startswith("self.")


def _are_apart(ev: Evaluator, frozen: Place, other: Place) -> bool:
    """Tell whether two expressions are modules that were made at different places."""
    head = other.at(_head(other.expression))
    if is_self(head.expression):
        return False
    there, here = ({one.origin for one in ev.evaluate(place)} for place in (frozen, head))
    return bool(there) and bool(here) and None not in there | here and there.isdisjoint(here)


def _head(node: ast.expr) -> ast.expr:
    """Return the first name of a dotted name, with `self` the first two: `self.net` of `self.net.head.weight`."""
    while isinstance(node, ast.Attribute) and not is_self(node.value):
        node = node.value
    return node


def _dotted(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield the dotted names in an expression's origin: `net.head` of `p` in `for p in net.head.parameters()`."""
    for one in closure(place.at(_named(place.expression)), lambda named: _iterated(ev, named)):
        if isinstance(root_of(one.expression), ast.Name) and not any(True for _ in _iterated(ev, one)):
            yield one


def _iterated(ev: Evaluator, named: Place) -> Iterator[Place]:
    """Yield the dotted names in what a loop goes through, if it binds a name."""
    for one in definitions(ev, named) if isinstance(named.expression, ast.Name) else ():
        if one.kind == "iterate" and one.value is not None:
            for part in _parts(one.value):
                yield Place(named.file, _named(part), one.statement)


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the modules whose parameters an expression reads."""
    calls = [one for one in walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)]
    asking = [one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr in _BELOW]
    yield from (one.func.value for one in asking if isinstance(one.func, ast.Attribute))
    if not asking:
        yield node


def _named(node: ast.expr) -> ast.expr:
    """Return the owner before indices and calls: `net` of `net.eval()`, `net.layers` of `net.layers[0]`."""
    while True:
        match node:
            case ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
                node = inner
            case _:
                return node
