"""Whether a script may be one of several processes: something that it uses makes a process group.

A script that passes nothing to a launcher, and calls nothing that calls `init_process_group`, trains alone: what is
only wrapped in a distributed run is not wrapped there. Functions are followed by name, which finds more paths than
there are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
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


def names_making_groups(ev: Evaluator) -> frozenset[str] | None:
    """Return the functions that may lead to a process group, None if they are unknown."""
    found: set[str] = set()
    pending = [_MAKING]
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        if len(found) > _MOST_NAMES:
            return None
        for path in ev.project.library.holding(name):
            if (file := ev.project.parsed(path)) is not None:
                pending.extend(_saying(file, name))
    return frozenset(found) if len(found) > 1 else None


def _saying(file: ParsedFile, name: str) -> Iterator[str]:
    """Yield the functions of a file that use a name, and their classes."""
    for statement in file.index.home:
        if isinstance(statement, (ast.Import, ast.ImportFrom)) or not mentions_any(file, statement, {name}):
            continue
        place = Place(file, ast.Constant(None), statement)
        for scope in (function_around(place), class_around(place)):
            if scope is not None:
                yield scope.name


def mentions_any(file: ParsedFile, statement: ast.stmt, names: Set[str]) -> bool:
    """Tell whether a statement mentions one of some names."""
    return any(last_name(node) in names for node in file.parents_in(statement))


def _names_in(file: ParsedFile) -> set[str]:
    statements = (one for one in file.index.home if not isinstance(one, (ast.Import, ast.ImportFrom)))
    return {last_name(node) for statement in statements for node in file.parents_in(statement)}
