"""Methods that are read where they were meant to be called: the parentheses are missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.place import Place
from torchlint.model.roles import is_a
from torchlint.model.syncs.branching import asked
from torchlint.model.syncs.formatting import formatted
from torchlint.model.values.def_use import receiving_calls
from torchlint.model.values.value_sets import Built, Function, Imported, Instance, Possibility, Tensor, Unknown
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.commands import COMMANDS, EVERY_COMMAND
from torchlint.pytorch.results import QUESTIONS
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import SAVE
from torchlint.pytorch.waits import READ_AS_NUMBERS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

Want: TypeAlias = Literal["done", "asked", "saved", "shown"]

_STATEFUL = frozenset({Role.OPTIMIZER, Role.SCHEDULER, Role.METRIC_SCHEDULER, Role.SCALER})
_UNCALLED = re.compile(r"\.state_dict\b(?!\s*\()")
_KEEPING = frozenset({SAVE, "copy.deepcopy", "copy.copy"})
_STATEFUL_WORDS = re.compile(
    r"(?<![a-z])(model|net|network|module|encoder|decoder|optimi[sz]er|optim|scheduler|scaler)(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class Uncalled:
    """A method that is not called, and for what it should have been."""

    place: Place
    want: Want
    is_sure: bool = True


def uncalled_methods(ev: Evaluator, file: ParsedFile) -> Iterator[Uncalled]:
    """Yield the methods that a file reads where it needs their effect or result."""
    for statement in file.index.statements(ast.Expr):
        if isinstance(statement.value, ast.Attribute) and statement.value.attr in EVERY_COMMAND:
            place = Place(file, statement.value, statement)
            if _does_something(ev, place):
                yield Uncalled(place, "done")
    words = file.words_for(QUESTIONS)
    for place in asked(file):
        if place.word in words and place.names & QUESTIONS:
            yield Uncalled(place, "asked")
    # Most files only ever call it, and need no further check.
    for place in _named(file, "state_dict") if _UNCALLED.search(file.code) else ():
        sure = _has_state(ev, place)
        if sure is not False and _is_kept(ev, place):
            yield Uncalled(place, "saved", sure is True)
    for value, _ in formatted(file):
        match value.expression:
            case ast.Attribute(attr=name) if (
                name in READ_AS_NUMBERS and value.owner is not None and value.owner.is_tensor
            ):
                yield Uncalled(value, "shown")


def _named(file: ParsedFile, name: str) -> Iterator[Place]:
    """Yield where an attribute is read and not called."""
    for node, statement in file.attribute_reads(name):
        parent = file.parents_in(statement).get(node)
        if not (isinstance(parent, ast.Call) and parent.func is node):
            yield Place(file, node, statement)


def _does_something(ev: Evaluator, place: Place) -> bool:
    """Tell whether calling what a statement reads would have an effect; a property has one."""
    found = ev.evaluate(place)
    if any(isinstance(one.value, Imported) for one in found):
        return any(isinstance(one.value, Imported) and canonical(one.value.name) in COMMANDS for one in found)
    assert isinstance(place.expression, ast.Attribute)
    owners = ev.evaluate(place.at(place.expression.value))
    return all(_is_method(ev, one, found) for one in owners)


def _is_method(ev: Evaluator, owner: Possibility, found: tuple[Possibility, ...]) -> bool:
    if isinstance(owner.value, Instance) and not is_module(ev, owner.value):
        return any(isinstance(one.value, Function) for one in found)
    return isinstance(owner.value, (Built, Instance, Tensor, Unknown))


def _has_state(ev: Evaluator, place: Place) -> bool | None:
    """Tell whether the owner has a method `state_dict`, None if only its name suggests it."""
    assert isinstance(place.expression, ast.Attribute)
    owner = place.at(place.expression.value)
    possible = ev.evaluate(owner)
    if possible and all(_is_stateful(ev, one) for one in possible):
        return True
    if any(not isinstance(one.value, Unknown) and not _is_stateful(ev, one) for one in possible):
        return False
    return None if _STATEFUL_WORDS.search(owner.word.lower()) else False


def _is_stateful(ev: Evaluator, one: Possibility) -> bool:
    match one.value:
        case Built(name=name):
            return is_module(ev, one.value) or is_a(ev, one.value, _STATEFUL) or name.endswith("GradScaler")
        case Instance():
            return is_module(ev, one.value)
        case _:
            return False


def _is_kept(ev: Evaluator, place: Place) -> bool:
    """Tell whether something is saved, copied, or loaded into a module."""
    for call in receiving_calls(ev, place):
        assert isinstance(call.expression, ast.Call)
        function = call.at(call.expression.func)
        if function.word == "load_state_dict" or function.names & _KEEPING:
            return True
    return False
