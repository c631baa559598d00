"""Calls of `torch.compile` that run again and again: with every step or every `forward`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import method_calls_of
from torchlint.model.place import Place
from torchlint.model.training.forwards import with_every_forward
from torchlint.model.training.what_trains import step_loops_of
from torchlint.pytorch.symbols import COMPILED
from torchlint.syntax.around import function_around
from torchlint.syntax.last_names import without_call

from .compiled import compiled_in_place

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.training.call_paths import Story

_CACHES = frozenset({"functools.cache", "functools.lru_cache", "functools.cached_property"})


@dataclass(frozen=True, slots=True)
class RepeatedCompile:
    """Where something is wrapped by `torch.compile`, and how the program comes there again and again."""

    place: Place
    when: str
    """How often it does: `in every step`."""
    story: Story


def repeated_compiles(ev: Evaluator, file: ParsedFile) -> Iterator[RepeatedCompile]:
    """Yield where a file compiles the same thing again and again, in source order."""
    for place in (*_calls(ev, file), *_decorators(file)):
        if not _is_kept(place) and (found := _repeated(ev, place)) is not None:
            yield found


def _calls(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    """Yield the calls of `torch.compile` that are given something, those of `partial(…)` of it, and `model.compile()`.

    In a decorator, `torch.compile(…)` is given nothing yet.
    """
    for call in method_calls_of(file, file.words_for([COMPILED]) | {"compile"}):
        if COMPILED in call.callee.names:
            if call.arguments or isinstance(call.statement, (ast.FunctionDef, ast.ClassDef)):
                yield call
        elif compiled_in_place(ev, call):
            yield call


def _decorators(file: ParsedFile) -> Iterator[Place]:
    """Yield the decorators `@torch.compile` without a call."""
    for statement in file.index.statements(ast.FunctionDef):
        for decorator in statement.decorator_list:
            place = Place(file, decorator, statement)
            if not isinstance(decorator, ast.Call) and COMPILED in place.names:
                yield place


def _is_kept(place: Place) -> bool:
    """Tell whether the function around a call runs but once for the same arguments, for a cache keeps its result."""
    function = function_around(place)
    node = function.node if function is not None else None
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    decorators = (Place(place.file, without_call(one), node) for one in node.decorator_list)
    return any(one.names & _CACHES for one in decorators) or _is_looked_up(place)


def _is_looked_up(place: Place) -> bool:
    """Tell whether the function returns early, and else keeps something under a key: `CACHE[key] = compiled`."""
    index = place.file.index
    stored = (one.statement for one in index.stores if isinstance(one.key, ast.expr))
    is_kept = any(one.lineno >= place.line and index.home[one][0].scope is place.scope for one in stored)
    return is_kept and any(one.lineno < place.line for one in place.scope.returns)


def _repeated(ev: Evaluator, place: Place) -> RepeatedCompile | None:
    """Return why a place is executed repeatedly, None where it is not known to be."""
    training = step_loops_of(ev.project)
    if (story := training.every_step(place)) is not None:
        return RepeatedCompile(place, "in every step", story)
    if (story := with_every_forward(ev, training, place)) is not None:
        return RepeatedCompile(place, "in every `forward`", story)
    return None
