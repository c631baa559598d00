"""The questions about a project whose answers are yes or no, by their names, so that another run can ask them again.

A name that is not listed here is never imported, wherever it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.project import Project
    from torchlint.project.facts import FactKey

_OURS = "torchlint."
# Of the whole project.
_QUESTIONS = frozenset(
    {
        "rules.numerics.detectors.refused_dtypes:changes_modules",
        "rules.parallel.detectors.collectives:makes_accelerators",
        "rules.parallel.detectors.collectives:uses_collectives_as_values",
        "rules.sync.detectors.clock_readings:uses_clocks_as_values",
    }
)
# Of one of its files, by its location.
_OF_FILES = frozenset(
    {
        "model.devices.host_programs:_IsHostProgram",
        "model.training.what_trains:TrainsIn",
        "rules.device.detectors.further_gpus:NamesFurther",
    }
)
# Whether anything was found in a file, by its name in findings.
_SHARES = frozenset(
    {
        "rules.device.detectors.left_states:left_states",
        "rules.parallel.detectors.checkpoint_loads:bare_loads",
        "rules.parallel.detectors.collectives:lonely_collectives",
        "rules.parallel.detectors.forked_cuda:forked_cuda",
        "rules.parallel.detectors.rank_saves:rank_saves",
        "rules.parallel.detectors.repeated_orders:repeated_orders",
        "rules.parallel.detectors.saves:wrapped_saves",
        "rules.parallel.detectors.shared_gpus:shared_gpus",
        "rules.parallel.detectors.unsharded:unsharded_loaders",
    }
)
FACTS = _QUESTIONS | _OF_FILES | _SHARES


def key_of(question: object) -> FactKey | None:
    """Return the name of a question that is answered by yes or no, and its file; None for any other."""
    if isinstance(question, FunctionType):
        return (name, "") if (name := _name_of(question)) in _QUESTIONS else None
    is_listed = (name := _name_of(type(question))) in _OF_FILES
    return (name, str(getattr(question, "location"))) if is_listed else None  # noqa: B009 -- of any class


def share_key_of(question: object, path: str) -> FactKey | None:
    """Return the name of the question whether another one found anything in a file."""
    return (name, path) if isinstance(question, FunctionType) and (name := _name_of(question)) in _SHARES else None


def asked_again(project: Project, key: FactKey) -> bool:
    """Return the answer to a question by its name."""
    name, argument = key
    assert name in FACTS
    module, _, attribute = name.partition(":")
    question: Any = getattr(import_module(_OURS + module), attribute)
    if name in _SHARES:
        share: Callable[[Evaluator], Mapping[str, Sequence[object]]] = question
        return project.told(key, lambda: bool(project.once(share).get(argument)))
    asked: Callable[[Evaluator], bool] = question(Path(argument)) if name in _OF_FILES else question
    return project.once(asked)


def _name_of(question: FunctionType | type) -> str:
    return f"{question.__module__.removeprefix(_OURS)}:{question.__qualname__}"
