"""Facts: questions about a project whose answers are yes or no, by their names, so that another run can ask them again.

A question is declared to be one where it is defined, in the model or in a detector.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, Project
    from torchlint.project.facts import FactKey

_OURS = "torchlint.model."
_Question = TypeVar("_Question", bound="Callable[..., object]")
_Share = TypeVar("_Share", bound="Callable[[Evaluator], Mapping[str, Sequence[object]]]")
_QUESTIONS: dict[str, object] = {}
_SHARES: dict[str, object] = {}


def fact(question: _Question) -> _Question:
    """Declare that a question is answered by yes or no: a function asks it of the project, a class of a `location`."""
    _QUESTIONS[_name_of(question)] = question
    return question


def fact_of_each_file(question: _Share) -> _Share:
    """Declare that it is a fact whether a question about the project, with findings by path, has any in a file."""
    _SHARES[_name_of(question)] = question
    return question


def key_of(question: object) -> FactKey | None:
    """Return the name of a question that is a fact, and its file; None for any other."""
    declared = question if isinstance(question, FunctionType) else type(question)
    if _QUESTIONS.get(name := _name_of(declared)) is not declared:
        return None
    return name, "" if declared is question else str(getattr(question, "location"))  # noqa: B009 -- of any class


def share_key_of(question: object, path: str) -> FactKey | None:
    """Return the name of the question whether another one found anything in a file."""
    is_declared = isinstance(question, FunctionType) and _SHARES.get(_name_of(question)) is question
    return (_name_of(question), path) if is_declared else None


def asked_again(project: Project, key: FactKey, detectors: tuple[str, ...] = ()) -> bool:
    """Return the answer to a question by its name; raises `KeyError` if there is no such fact.

    The name may come from anywhere: only modules of the model and those below `detectors` are imported.
    """
    name, argument = key
    module = name.partition(":")[0]
    if module.startswith((_OURS, *detectors)):
        import_module(module)
    if name in _SHARES:
        share: Any = _SHARES[name]
        return project.told(key, lambda: bool(project.once(share).get(argument)))
    question: Any = _QUESTIONS[name]
    asked: Callable[[Evaluator], bool] = question(Path(argument)) if isinstance(question, type) else question
    return project.once(asked)


def _name_of(question: object) -> str:
    declared: Any = question
    return f"{declared.__module__}:{declared.__qualname__}"
