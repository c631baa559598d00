"""Whether one run of a program may reach two places: what starts the run leads to both.

A run starts with a file, which its name or an import runs. A function that no file in view calls is called by users of
the package, in a run of their own: a script that runs the first place does not reach the second by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.importing import imported_files, may_import_any, may_share_program
from torchlint.model.guards.reachability import is_kept
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.closure import closure

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope

_Start: TypeAlias = "tuple[ParsedFile, Scope]"
"""What starts a run that reaches a place: a file, or a function that no file in view calls."""
_NONE: frozenset[_Start] | None = None


def may_be_in_one_run(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether some run may reach both of two places."""
    if not may_share_program(ev, one.file, other.file):
        return False
    starts, others = _starts(ev, one.file, one.scope), _starts(ev, other.file, other.scope)
    if starts is None or others is None:
        return True
    return any(_may_meet(ev, a, b) for a in starts for b in others)


def _may_meet(ev: Evaluator, one: _Start, other: _Start) -> bool:
    """Tell whether a run that starts with one of two may reach what the other starts with."""
    if (one[1].kind == "file") is (other[1].kind == "file"):
        return one[1].kind != "file" or may_share_program(ev, one[0], other[0])
    script, using = (one[0], other[0]) if one[1].kind == "file" else (other[0], one[0])
    if script is using or not script.is_script or may_import_any(ev, using.location):
        return True
    return script.location in imported_files(ev, using.location)


@tabled(_NONE)
def _starts(ev: Evaluator, file: ParsedFile, scope: Scope) -> frozenset[_Start] | None:
    """Return what starts the runs that reach a function or file, or None if that may be anything."""
    found = set[_Start]()
    for reached in closure(Function(file, scope), lambda one: _calling(ev, one)):
        if reached.scope.kind != "function":
            found.add((reached.file, reached.file.index.scope))
        elif not ev.callers(reached):
            if _may_be_called_unseen(ev, reached):
                return None
            found.add((reached.file, reached.scope))
    return frozenset(found)


def _calling(ev: Evaluator, function: Function) -> Iterator[Function]:
    """Yield the functions and files that call a function, or pass it to what calls it."""
    if function.scope.kind == "function":
        yield from (Function(one.place.file, one.place.scope) for one in ev.callers(function))


def _may_be_called_unseen(ev: Evaluator, function: Function) -> bool:
    """Tell whether something in view may call a function by another way than its name."""
    scope = function.scope
    is_of_file = scope.outer is not None and scope.outer.kind == "file"
    return not is_of_file or bool(scope.decorators) or is_kept(ev, function)
