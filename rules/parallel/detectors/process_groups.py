"""Whether a script may be one of several processes: something that it uses makes a process group.

A script that passes nothing to a launcher, and calls nothing that calls `init_process_group`, trains alone: what is
only wrapped in a distributed run is not wrapped there. Functions are followed by name, which finds more paths than
there are.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.syntax.around import class_around, function_around
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_MAKING = "init_process_group"
ONLY_MAKING = frozenset({_MAKING})
# A program that is launched by these is one of several, whatever the project contains.
_LAUNCHED = ("deepspeed", "horovod", "accelerate", "lightning", "ignite", "spawn(", "LOCAL_RANK", "RANK")
# Beyond so many functions of one name on the path, the name says nothing.
_MOST_NAMES = 40


def may_be_one_of_several(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place may run in one of several processes; only what is private to a script may not."""
    file, kind = place.file, class_around(place)
    if not file.is_script:
        return True
    if kind is not None and set(file.project.library.holding(kind.name)) > {file.location}:
        return True
    if any(word in file.code for word in _LAUNCHED):
        return True
    making = ev.project.once(names_making_groups)
    return making is None or not making.isdisjoint(_names_in(file))


@dataclass(frozen=True, slots=True)
class MentioningAny:
    """The question which statements of a file mention one of some names, but for its imports."""

    location: Path
    names: frozenset[str]

    def __call__(self, ev: Evaluator) -> tuple[ast.stmt, ...]:
        """Return the answer."""
        file = ev.project.parsed(self.location)
        if file is None or not any(name in file.code for name in self.names):
            return ()
        return tuple(statement for statement, said in _names_by_statement(file) if not said.isdisjoint(self.names))


def names_making_groups(ev: Evaluator) -> frozenset[str] | None:
    """Return the functions that may lead to a process group, None if they are unknown."""
    found: set[str] = set()
    pending = [_MAKING]
    around: dict[ParsedFile, dict[str, set[str]]] = {}
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        if len(found) > _MOST_NAMES:
            return None
        for path in ev.project.library.holding(name):
            if (file := ev.project.parsed(path)) is not None:
                if file not in around:
                    around[file] = _functions_by_name(file)
                pending.extend(around[file].get(name, ()))
    return frozenset(found) if len(found) > 1 else None


def _functions_by_name(file: ParsedFile) -> dict[str, set[str]]:
    """Return the functions of a file that use each name, and their classes."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for statement, said in _names_by_statement(file):
        place = Place(file, ast.Constant(None), statement)
        scopes = (function_around(place), class_around(place))
        functions = {scope.name for scope in scopes if scope is not None}
        for name in said if functions else ():
            found[name] |= functions
    return found


def _names_in(file: ParsedFile) -> set[str]:
    return {name for _, said in _names_by_statement(file) for name in said}


def _names_by_statement(file: ParsedFile) -> Iterator[tuple[ast.stmt, set[str]]]:
    """Yield the statements of a file but for its imports, each with the last names of its expressions."""
    for statement in file.index.home:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield statement, {last_name(node) for node in file.parents_in(statement)}
