"""Attributes that are read from a module without one of that name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.guards.catching import is_absence_caught
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    Built,
    Class,
    Function,
    Imported,
    Instance,
    Options,
    Possibility,
    Unknown,
    ValueSet,
)
from torchlint.pytorch.symbols import MODULE
from torchlint.pytorch.wrappers import WRAPPERS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

# Parameters and buffers are tensors.
_LAYER = re.compile(r"torch\.nn\.(modules\.\w+\.)?(?!\w*(Parameter|Buffer)$)[A-Z]\w*")
_PLAIN_BASES = frozenset({"abc.ABC", "builtins.object", "typing.Generic"})
# What gives an object attributes without an assignment.
_HIDDEN = re.compile(r"\b(__getattr__|__getattribute__|__dict__|setattr|vars)\b")


@dataclass(frozen=True, slots=True)
class LackingModule:
    """An attribute that is read from a module without one of that name."""

    place: Place
    """The whole of `model.device`."""
    module: Place
    possibility: Possibility


def lacking_modules(ev: Evaluator, file: ParsedFile, name: str) -> Iterator[LackingModule]:
    """Yield where an attribute is read from what is surely a module, of classes without one of that name."""
    for node, statement in file.attribute_reads(name):
        place = Place(file, node, statement)
        module = place.at(node.value)
        possible = ev.evaluate(module)
        is_lacking = bool(possible) and all(_lacks(ev, one.value, name) for one in possible)
        if not is_lacking or not _is_vouched_for(ev, module):
            continue
        if is_reachable(ev, place) and not _is_asked(place, name) and not _is_given(ev, module, possible, name):
            yield LackingModule(place, module, possible[0])


def _lacks(ev: Evaluator, value: object, name: str) -> bool:
    """Tell whether a value is a module of which every class is known, and none has the attribute."""
    match value:
        case Built(name=built):
            return _LAYER.fullmatch(built) is not None and built not in {MODULE, *WRAPPERS}
        case Instance(kind=kind) if is_module(ev, value):
            return all(_is_without(ev, one, name) for one in family(ev, kind))
        case _:
            return False


def _is_without(ev: Evaluator, kind: Class | str, name: str) -> bool:
    if isinstance(kind, str):
        return kind in _PLAIN_BASES or _LAYER.fullmatch(kind) is not None
    node = kind.scope.node
    if not isinstance(node, ast.ClassDef) or node.decorator_list or not _has_known_bases(ev, kind, node):
        return False
    if name in kind.scope.bindings or _HIDDEN.search(kind.file.code_of(node)):
        return False
    stores = [store.statement for store in kind.file.index.attribute_stores(name)]
    return not any(_is_within(kind.file, one, kind.scope) for one in (*stores, *_declarations(kind.file, name)))


def _declarations(file: ParsedFile, name: str) -> Iterator[ast.AnnAssign]:
    """Yield where an attribute is annotated without a value: `self.device: torch.device` relies on another class."""
    for statement in file.index.statements(ast.AnnAssign):
        match statement.target:
            case ast.Name() if file.index.home[statement][0].scope.kind != "class":
                continue
            case ast.Name(id=found) | ast.Attribute(attr=found) if found == name and statement.value is None:
                yield statement


def _has_known_bases(ev: Evaluator, kind: Class, node: ast.ClassDef) -> bool:
    if any(word.arg != "metaclass" for word in node.keywords):
        return False
    bases = (ev.evaluate(Place(kind.file, base, node)) for base in node.bases)
    return all(len(known) == 1 and isinstance(known[0].value, (Class, Imported)) for known in bases)


def _is_within(file: ParsedFile, statement: ast.stmt, kind: Scope) -> bool:
    scope: Scope | None = file.index.home[statement][0].scope
    while scope is not None and scope is not kind:
        scope = scope.outer
    return scope is kind


@tabled(False)
def _is_vouched_for(ev: Evaluator, module: Place) -> bool:
    """Tell whether more than an annotation shows what a module is: it is made in view, or it is `self`.

    An argument of unknown origin may be of a subclass, or a wrapper that forwards everything.
    """
    if _is_receiver(module) or all(_is_seen(one) for one in ev.evaluate(module)):
        return True
    parameter = next((one for one in module.scope.parameters if one.name == module.code), None)
    if parameter is None:
        return False
    passed = [caller.argument(parameter) for caller in ev.callers(Function(module.file, module.scope))]
    return bool(passed) and all(places and all(_is_vouched_for(ev, one) for one in places) for places in passed)


def _is_seen(one: Possibility) -> bool:
    return one.origin is not None and not isinstance(one.value, Unknown)


def _is_asked(place: Place, name: str) -> bool:
    """Tell whether the program checks for the attribute first, or handles its absence."""
    if any(re.search(rf"hasattr\b.*\b{name}\b", test.code) for test, _ in place.tests):
        return True
    return is_absence_caught(place)


def _is_given(ev: Evaluator, module: Place, possible: ValueSet, name: str) -> bool:
    """Tell whether the attribute may be stored from outside, or a subclass has it."""
    may_be_below = _is_receiver(module) or any(one.origin is None for one in possible)
    for path in ev.project.library.holding(name):
        other = ev.project.parsed(path)
        if other is None:
            continue
        if any(
            _may_be_module(ev, other, store.target, store.statement) for store in other.index.attribute_stores(name)
        ):
            return True
        if may_be_below and any(_is_subclass(ev, other, scope, possible, name) for scope in other.index.scopes):
            return True
    return False


def _may_be_module(ev: Evaluator, file: ParsedFile, target: ast.expr, statement: ast.stmt) -> bool:
    """Tell whether `target.name = …` may be an assignment to a module from outside its class."""
    place = Place(file, target, statement)
    if _is_receiver(place):
        return False
    for one in ev.evaluate(place):
        match one.value:
            case Options():
                continue
            case Unknown():
                if not re.search(r"arg|opt|cfg|conf|param|flag", place.code.lower()):
                    return True
            case value if is_module(ev, value):
                return True
    return False


def _is_receiver(place: Place) -> bool:
    """Tell whether an expression is the `self` of its method."""
    scope = place.scope
    return scope.is_method and bool(scope.parameters) and place.code == scope.parameters[0].name


def _is_subclass(ev: Evaluator, file: ParsedFile, scope: Scope, possible: ValueSet, name: str) -> bool:
    """Tell whether a class derives from one of these and has the attribute."""
    if scope.kind != "class":
        return False
    own = {one.value.kind.scope for one in possible if isinstance(one.value, Instance)}
    derived = [one for one in family(ev, Class(file, scope)) if isinstance(one, Class)][1:]
    if not any(one.scope in own for one in derived):
        return False
    return not _is_without(ev, Class(file, scope), name)
