"""Tests for a connected peer: a viewer who looks at the training from time to time.

`while gui.conn is not None:` runs as long as the connection that `accept()` returned is open.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Instance, PythonFile
from torchlint.syntax.last_names import last_name
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_RECEIVING = ("recv", "receive", "recv_bytes")


def asks_for_peer(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a test holds while a peer is connected."""
    match test.expression:
        case ast.Compare(left=asked, ops=[op], comparators=[ast.Constant(value=None)]):
            is_there = isinstance(op, (ast.IsNot, ast.NotEq)) is holds
        case asked:
            is_there = holds
    if not is_there or not isinstance(asked, (ast.Name, ast.Attribute)):
        return False
    return _is_listened_to(test, asked) or _is_accepted(ev, test.at(asked))


def _is_listened_to(test: Place, asked: ast.expr) -> bool:
    """Tell whether the iterations of a loop receive from what it tests: `while conn is not None: conn.receive()`."""
    if not isinstance(test.statement, ast.While):
        return False
    calls = (one for name in _RECEIVING for one in test.file.method_calls_on(written(asked), name))
    return any(test.file.index.is_in_body(statement, test.statement) for _, statement in calls)


def _is_accepted(ev: Evaluator, asked: Place) -> bool:
    """Tell whether the file or class that has a connection gets it from `accept()`."""
    if not ev.project.library.holding("accept("):
        return False
    match asked.expression:
        case ast.Attribute(value=owner):
            values = [one.value for one in ev.evaluate(asked.at(owner))]
            files = [one.file for one in values if isinstance(one, PythonFile)]
            files += [one.kind.file for one in values if isinstance(one, Instance)]
        case _:
            files = [asked.file]
    return any(_accepts(file, last_name(asked.expression)) for file in files)


def _accepts(file: ParsedFile, name: str) -> bool:
    """Tell whether a file assigns a connection to the name: `conn, address = listener.accept()`."""
    assigned = (at for _, at in file.index.calls("accept") if isinstance(at, ast.Assign))
    parts = (part for at in assigned for target in at.targets for part in walk(target))
    return any(last_name(part) == name for part in parts if isinstance(part, (ast.Name, ast.Attribute)))
