"""Modules whose code moves nothing: for inputs on the host, their outputs are there too.

Parameters must be on the same device as the inputs, so only code that moves its input gets it to a device.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchlint.model.place import Place
from torchlint.model.values.plain import plain
from torchlint.model.values.value_sets import UNKNOWN, Class, Function, Imported
from torchlint.project.dependencies import MemoEntry
from torchlint.pytorch.symbols import NN

_MOVING = (".to(", "cuda", "device", "gpu", "prepare(", ".type(", "DataParallel")
_OURS = (NN, "builtins.object")
_MOST = 60


def moves_nothing(kind: Class) -> bool:
    """Tell whether neither a class of modules nor the code that it uses contains a word of moving."""
    asked, known = kind.file.project.library.dependencies, kind.file.unmoving
    if kind.scope not in known:
        known[kind.scope] = MemoEntry(False, 0) if _says_moving(kind) else asked.answered(lambda: _is_unmoving(kind))
    return asked.recalled(known[kind.scope])


def _is_unmoving(kind: Class) -> bool:
    seen: set[Class | Function] = set()
    pending: list[Class | Function] = [kind]
    while pending and len(seen) < _MOST:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        if _says_moving(one) or (isinstance(one, Class) and not _has_known_bases(one)):
            return False
        pending += _made_of(one)
    return not pending


def _says_moving(one: Class | Function) -> bool:
    text = one.file.code_of(one.scope.node)
    return any(word in text for word in _MOVING)


def _has_known_bases(kind: Class) -> bool:
    """Tell whether all bases of a class are of the project, or of PyTorch."""
    node = kind.scope.node
    assert isinstance(node, ast.ClassDef)
    return all(
        isinstance(one.value, Class) or (isinstance(one.value, Imported) and one.value.name.startswith(_OURS))
        for base in node.bases
        for one in plain(Place(kind.file, base, node)) or UNKNOWN
    )


def _made_of(one: Class | Function) -> Iterator[Class | Function]:
    """Yield the classes and functions of the project that a class derives from, or that code calls by their names."""
    node = one.scope.node
    named = [Place(one.file, base, node) for base in node.bases] if isinstance(node, ast.ClassDef) else []
    bindings = (binding for bindings in one.scope.bindings.values() for binding in bindings)
    scopes = [binding.scope for binding in bindings if binding.kind == "function" and binding.scope is not None]
    for scope in (one.scope, *scopes):
        named += [Place(one.file, call.func, statement) for call, statement in one.file.calls_in_scope(scope)]
    for place in named:
        yield from (found.value for found in plain(place) or () if isinstance(found.value, (Class, Function)))
