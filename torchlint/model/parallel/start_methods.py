"""By which methods a program starts processes: by its own choice, by a context argument, or by Python's default."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from torchlint.model.call_graph.importing import is_surely_shared, may_share_program
from torchlint.model.call_graph.one_run import may_be_in_one_run
from torchlint.model.calls import Call
from torchlint.model.holding import files_holding
from torchlint.model.values.value_sets import Built, Literal
from torchlint.pytorch.processes import CONTEXTS, DEFAULT_CONTEXT, FORK, SET_START_METHOD

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

PYTHONS_DEFAULT: Final = ""
"""The method of a program that chooses none."""
UNKNOWN_METHOD: Final = "?"
_OTHERS = [word for word in CONTEXTS if word != FORK]
_OF_PROGRAM = (Literal(None), Built(DEFAULT_CONTEXT))
_BY_CLASS = {name: method for method, name in CONTEXTS.items()}


def start_methods(ev: Evaluator, place: Place, contexts: Iterable[Place] = ()) -> frozenset[str]:
    """Return the methods by which processes may be started at a place: those of its context arguments, if any."""
    given = list(contexts)
    if not given:
        return _methods_of_program(ev, place)
    return frozenset(method for context in given for method in _methods_of_context(ev, context))


def _methods_of_context(ev: Evaluator, context: Place) -> Iterator[str]:
    """Yield what an argument for a context, or a start method, may mean."""
    possible = ev.evaluate(context)
    if not possible:
        yield UNKNOWN_METHOD
    for one in possible:
        match one.value:
            case Literal(value=str() as method):
                yield method
            case Built(name=name) if name in _BY_CLASS:
                yield _BY_CLASS[name]
            case _ if one.value in _OF_PROGRAM:
                yield from _methods_of_program(ev, context)
            case _:
                yield UNKNOWN_METHOD


def _methods_of_program(ev: Evaluator, place: Place) -> frozenset[str]:
    """Return the methods that the program of a place may choose.

    A program that names another one than `fork` anywhere, as an option or for a library, may use that.
    """
    files = [file for file in ev.project.once(_choosing_files) if may_share_program(ev, file, place.file)]
    calls = [Call(file, *found) for file in files for found in file.index.calls("set_start_method")]
    named = [call for call in calls if not call.callee.names_in(ev.world).isdisjoint(SET_START_METHOD)]
    chosen = [call for call in named if may_be_in_one_run(ev, call, place)]
    if any(is_surely_shared(ev, call.file, place.file) for call in chosen):
        return frozenset(method for call in chosen for method in _set_by(ev, call))
    if chosen:
        return frozenset({UNKNOWN_METHOD})
    is_named = any(f"{quote}{word}{quote}" in file.code for file in files for word in _OTHERS for quote in "'\"")
    return frozenset({UNKNOWN_METHOD if is_named else PYTHONS_DEFAULT})


def _set_by(ev: Evaluator, call: Call) -> Iterator[str]:
    method = call.argument("method", 0)
    for one in ev.evaluate(method) if method is not None else ():
        match one.value:
            case Literal(value=str() as name):
                yield name
            case _:
                yield UNKNOWN_METHOD
    if method is None:
        yield UNKNOWN_METHOD


def _choosing_files(ev: Evaluator) -> tuple[ParsedFile, ...]:
    """Return the files of a project that set the start method of processes."""
    words = ("set_start_method(", *(f"{quote}{word}{quote}" for word in _OTHERS for quote in "'\""))
    return tuple(files_holding(ev, words))
