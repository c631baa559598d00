"""Calls of wrapped modules that communicate with all ranks: `ddp(x)` sends buffers, `fsdp(x)` gathers parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.calls import Call, calls_anywhere
from torchlint.model.modules.tracked_statistics import tracks_statistics
from torchlint.model.parallel.wrappers import inside, unwrapped, wrapper_name
from torchlint.model.place import Caller
from torchlint.model.values.frames import frame_for
from torchlint.model.values.value_sets import Frame, Possibility
from torchlint.pytorch.symbols import DISTRIBUTED, SHARDED
from torchlint.pytorch.wrapped_calls import BUFFER_FLAGS, COMMUNICATING_METHODS, OWN_GROUPS, UNSHARDED
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope

_SHARDED = (SHARDED,)
_COMMUNICATING = (DISTRIBUTED, SHARDED)


def calls_of_wrapped(ev: Evaluator) -> Iterator[Call]:
    """Yield the calls of a project that may be of a wrapped module, by the names that it has, or by its methods."""
    seen: set[tuple[ParsedFile, Scope | None, str]] = set()
    pending = list(dict.fromkeys(_names(ev)))
    for file, scope, name in pending:
        if (file, scope, name) in seen:
            continue
        seen.add((file, scope, name))
        for call in _calls(file, scope):
            if _last(call.callee) == name or (call.method in COMMUNICATING_METHODS and _last(call.owner) == name):
                yield call
            pending += _received(ev, call, name) if len(seen) < NESTED * NESTED else ()


def _names(ev: Evaluator) -> Iterator[tuple[ParsedFile, Scope | None, str]]:
    """Yield the names under which files keep what they wrap; an attribute has its name in all of the file."""
    for wrapper in _COMMUNICATING:
        for call in calls_anywhere(ev.project, wrapper.rpartition(".")[2]):
            for kept in call.kept_as:
                yield call.file, None, kept.rpartition(".")[2]


def _calls(file: ParsedFile, scope: Scope | None) -> Iterator[Call]:
    pairs = file.calls_in_scope(scope) if scope is not None else file.index.expressions(ast.Call)
    return (Call(file, call, statement) for call, statement in pairs)


def _last(place: Place | None) -> str:
    return last_name(place.expression) if place is not None else ""


def _received(ev: Evaluator, call: Call, name: str) -> Iterator[tuple[ParsedFile, Scope | None, str]]:
    """Yield the parameters to which a call passes what has a name."""
    given = [one for one in (*call.arguments, *call.keywords.values()) if _last(one) == name]
    for callee in ev.callees(call) if given else ():
        caller = Caller.of_call(call, 1 if callee.receiver is not None else 0, callee.fixed)
        for parameter in callee.scope.parameters:
            passed = caller.argument(parameter) or ()
            if any(one.expression is place.expression for one in passed for place in given):
                yield callee.file, callee.scope, parameter.name


def communicating(ev: Evaluator, call: Call, path: Sequence[Place]) -> str | None:
    """Return the wrapper that surely communicates with all ranks in a call, where the calls of a path lead to it.

    A program that runs alone too may have the bare module instead, where no rank is missing.
    """
    within = _on_path(ev, call, path)
    is_method = call.method in COMMUNICATING_METHODS and call.owner is not None
    module = call.owner if is_method and call.owner is not None else call.callee
    possible = ev.evaluate(within.at(module.expression))
    wrapped = [one for one in possible if wrapper_name(ev, one) in (_SHARDED if is_method else _COMMUNICATING)]
    bare = {inner for one in wrapped for inner in inside(ev, one) or ()} if within.frame or not path else set()
    are_alternatives = all(one in bare for one in possible if one not in wrapped)
    if not wrapped or not are_alternatives or not all(_communicates(ev, one) for one in wrapped):
        return None
    return wrapper_name(ev, wrapped[0])


def _on_path(ev: Evaluator, call: Call, path: Sequence[Place]) -> Place:
    """Return a call in the frames of the calls that lead to it, of those that are in view."""
    frame: Frame | None = None
    for here, further in pairwise((*path, call)):
        callee = next((one for one in ev.callees(here) if one.scope is further.scope), None)
        frame = frame_for(here.within(frame), callee, NESTED) if callee is not None else None
    return call.within(frame)


def _communicates(ev: Evaluator, one: Possibility) -> bool:
    made = one.origin
    if made is None or not isinstance(made.expression, ast.Call):
        return False
    words = {word.arg: word.value for word in made.expression.keywords}
    if None in words or not OWN_GROUPS.isdisjoint(words):
        return False
    if wrapper_name(ev, one) == SHARDED:
        return not any(name in made.file.source.text for name in UNSHARDED)
    modules = unwrapped(ev, one) or ()
    is_buffered = bool(modules) and all(tracks_statistics(ev, inner) for inner in modules)
    return is_buffered and BUFFER_FLAGS.isdisjoint(words)
