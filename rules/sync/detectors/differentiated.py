"""Sums and lists whose graph a `backward()` frees."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.def_use import uses_of
from torchlint.model.values.tabled import tabled
from torchlint.pytorch.backward import BACKWARD
from torchlint.syntax.around import class_around, is_self
from torchlint.syntax.walk import walk, written

from .additions import Addition
from .graphs import backward_calls, has_no_graph, receiver_of
from .namesakes import is_of_same_object, owner_of_kept
from .storing import stored

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


def is_differentiated(ev: Evaluator, addition: Addition) -> bool:
    """Tell whether the sum or list itself is differentiated: then its graph is used up with it.

    A local variable may be differentiated by the function or its callers, a global by any function of the file, and an
    attribute by any code that has the object, under any name.
    """
    place = addition.place
    is_own = addition.name in place.scope.bindings and addition.name not in place.scope.outside
    if "." not in addition.root and is_own:
        own = _differentiated(ev, place.file, place.scope).names
        return addition.root in own or _is_returned_to_backward(ev, place, addition.root)
    scopes = {place.scope, *_differentiating(place.file)}
    if any(addition.root in _differentiated(ev, place.file, scope).names for scope in scopes):
        return True
    owner = owner_of_kept(addition)
    return owner is not None and _differentiates_attribute(ev, owner, addition.root.rpartition(".")[2])


def _is_returned_to_backward(ev: Evaluator, place: Place, name: str) -> bool:
    """Tell whether a function returns a variable, or what is made of it, to one that differentiates that."""
    returned = (
        Place(place.file, node, statement)
        for statement in place.scope.returns
        if statement.value is not None
        for node in walk(statement.value)
        if isinstance(node, ast.Name) and node.id == name
    )
    return any(leads_back(ev, use.place) for read in returned for use in uses_of(ev, read))


def _differentiating(file: ParsedFile) -> Iterator[Scope]:
    return (file.index.home[one][0].scope for name in BACKWARD for _, one in file.index.calls(name))


def _differentiates_attribute(ev: Evaluator, owner: Place, name: str) -> bool:
    """Tell whether any function that has an object differentiates what is computed from an attribute of it."""
    library = ev.project.library
    saying = library.holding(f".{name}")
    files = (ev.project.parsed(path) for path in library.holding("backward(") if path in saying)
    return any(
        written(at.expression).rpartition(".")[2] == name and is_of_same_object(ev, owner, at, written(at.expression))
        for file in files
        if file is not None
        for scope in dict.fromkeys(_differentiating(file))
        for at in _differentiated(ev, file, scope).attributes
    )


def is_given_to_backward(ev: Evaluator, addition: Addition) -> bool:
    """Tell whether a method gives out what is made of an attribute to code that differentiates it.

    `log_probs, values = self.rollout.sample()`: the object need not be known, as the names of both agree.
    """
    kind, name = class_around(addition.place), addition.root.rpartition(".")[2]
    library = ev.project.library
    for method in dict.fromkeys(_giving_out(addition.place.file, kind, name)):
        calling = library.holding(f".{method}(")
        for file in (ev.project.parsed(path) for path in library.holding("backward(") if path in calling):
            calls = (Place(file, *call) for call in file.index.calls(method)) if file is not None else ()
            if any(leads_back(ev, one) and not _is_replayed(ev, one) for one in calls):
                return True
    return False


def _is_replayed(ev: Evaluator, taken: Place) -> bool:
    """Tell whether a function wants no graph of what it is given: it detaches some of that, or a model is run again.

    What it differentiates is computed then: `model(torch.stack([one.state for one in batch]))`.
    """
    every = (one for bindings in taken.scope.bindings.values() for one in bindings)
    names = {one.name for one in every if one.statement is taken.statement}
    for call, statement in taken.file.calls_in_scope(taken.scope):
        is_detaching = isinstance(call.func, ast.Attribute) and call.func.attr == "detach"
        read = [call.func] if is_detaching else [*call.args, *(word.value for word in call.keywords)]
        if not any(isinstance(node, ast.Name) and node.id in names for one in read for node in walk(one)):
            continue
        if is_detaching or ev.is_module(Place(taken.file, call.func, statement)):
            return True
    return False


def _giving_out(file: ParsedFile, kind: Scope | None, name: str) -> Iterator[str]:
    """Yield the methods of a class that return what is made of an attribute."""
    for node, statement in file.attribute_reads(name):
        scope = file.index.home[statement][0].scope
        if isinstance(statement, ast.Return) and is_self(node.value) and kind is not None and scope.outer is kind:
            yield scope.name


def leads_back(ev: Evaluator, place: Place) -> bool:
    """Tell whether a function calls `backward()` on what is computed from an expression, directly or not."""
    return place.expression in _differentiated(ev, place.file, place.scope).nodes


@dataclass(frozen=True, slots=True)
class _Differentiated:
    """What a function differentiates, what that is computed from, transitively, as text."""

    names: frozenset[str] = frozenset()
    nodes: frozenset[ast.AST] = frozenset()
    attributes: tuple[Place, ...] = ()


@tabled(_Differentiated())
def _differentiated(ev: Evaluator, file: ParsedFile, scope: Scope) -> _Differentiated:
    names: set[str] = set()
    nodes: set[ast.AST] = set()
    attributes: list[Place] = []
    pending = [
        Place(file, node, statement)
        for call, statement in backward_calls(file, scope)
        for node in (call.func, *call.args)
    ]
    while pending:
        source = pending.pop()
        for node in walk(source.expression):
            nodes.add(node)
            if isinstance(node, (ast.Name, ast.Attribute)) and (name := written(node)) not in names:
                names.add(name)
                attributes += [source.at(node)] if isinstance(node, ast.Attribute) else []
                pending += _made_of(ev, file, scope, name)
    return _Differentiated(frozenset(names), frozenset(nodes), tuple(attributes))


def _made_of(ev: Evaluator, file: ParsedFile, scope: Scope, name: str) -> Iterator[Place]:
    """Yield what a variable of a function is assigned, and what the function adds to it."""
    for binding in scope.bindings.get(name, ()):
        if binding.value is not None:
            yield Place(file, binding.value, binding.statement)
    yield from _put_into(ev, file).get((scope, name), ())


@tabled(dict[tuple["Scope", str], list[Place]]())
def _put_into(_: Evaluator, file: ParsedFile) -> dict[tuple[Scope, str], list[Place]]:
    """Return what a file adds to lists and tables, by the function and the name."""
    found: dict[tuple[Scope, str], list[Place]] = defaultdict(list)
    for addition in stored(file):
        found[addition.place.scope, addition.root].append(addition.value)
    return dict(found)


def is_freed_with_backward(ev: Evaluator, place: Place) -> bool:
    """Tell whether only an arm that then detaches it differentiates a tensor: `if train: loss.backward(); loss = …`.

    In the other arm no gradients are computed in the function, and the receiver of the sum may need them.
    """
    calls = backward_calls(place.file, place.scope)
    arms = [_is_arm_that_frees(ev, place, call, statement) for call, statement in calls]
    return bool(arms) and all(arms)


def _is_arm_that_frees(ev: Evaluator, place: Place, call: ast.Call, statement: ast.stmt) -> bool:
    name = written(place.expression)
    block, at = next(iter(place.file.index.blocks_around(statement)))
    inside = any(one.body is block.body for one, _ in place.file.index.blocks_around(place.statement))
    if inside or name not in map(written, (receiver_of(call), *call.args)):
        return False
    later = block.body[at + 1 :]
    given = [one for one in place.scope.bindings.get(name, ()) if one.statement in later and one.value is not None]
    values = (Place(place.file, one.value, one.statement) for one in given if one.value is not None)
    return bool(given) and all(has_no_graph(ev.evaluate(value)) for value in values)
