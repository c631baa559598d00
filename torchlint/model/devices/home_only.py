"""Modules that cannot be moved: a file keeps their class private, and moves nothing.

If a class is private, each of its objects is made in the file. Any caller may move what is made there for a public
class or function; what stays in private ones, in a file that never moves anything, stays on the host.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class
from torchlint.syntax.around import class_around

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.scope import Scope

_MOVING = (".to(", ".cuda(", "device", "to_empty(", "prepare(")


def stays_at_home(kind: Class) -> bool:
    """Tell whether all objects of a class of modules are made and used in one file that moves nothing."""
    text = kind.file.code
    return kind.scope.name.startswith("_") and not any(word in text for word in _MOVING) and _is_kept(kind, frozenset())


def _is_kept(kind: Class, seen: frozenset[Scope]) -> bool:
    if kind.scope in seen:
        return True
    file, name = kind.file, kind.scope.name
    if not _is_private(file, name) or any(True for _ in file.mentions(name)):
        return False
    made = [Place(file, call, statement) for call, statement in file.index.calls(name)]
    return bool(made) and all(_is_made_in_private(place, seen | {kind.scope}) for place in made)


def _is_made_in_private(made: Place, seen: frozenset[Scope]) -> bool:
    """Tell whether an object is made by a private function, or by one that is itself part of what is private."""
    owner = class_around(made)
    if owner is not None:
        return _is_kept(Class(made.file, owner), seen)
    return isinstance(made.scope.node, ast.FunctionDef) and _is_private(made.file, made.scope.name)


def _is_private(file: ParsedFile, name: str) -> bool:
    return name.startswith("_") and set(file.project.library.holding(name)) <= {file.location}
