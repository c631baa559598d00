"""Lambdas and local functions for the workers of a loader, which cannot be pickled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Cause, Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.unpicklable_arguments import Unpicklable

_CURE = "define it at module level"


class UnpicklableLoaderArgument(Rule):
    """Give the workers of a loader only what is defined at module level.

    Workers that are started by `spawn` or `forkserver` get the dataset, `collate_fn` and `worker_init_fn` pickled. A
    lambda, a function that is defined in another function, and an object of a class that is defined there cannot be
    pickled: `Can't pickle local object`, as soon as the loader is iterated over. Define them at module level, and bind
    values with `functools.partial`.

    Where the program chooses such a start method, that is an error. Where it is not known to choose any, the finding is
    an info: `spawn` is the default on Windows and macOS, and `forkserver` on Linux since Python 3.14.

    Not reported:

    - loaders without workers, or that have none on some path
    - programs that may choose to fork the workers
    - objects that define how they are pickled

    https://docs.pytorch.org/docs/stable/data.html#platform-specific-behaviors
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("DataLoader",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.unpicklable_arguments import unpicklable_arguments

        for found in unpicklable_arguments(file.evaluator(), file):
            written = found.local.written
            is_elsewhere = written is not None and written.span != found.argument.span
            trace = (written.step(f"{found.local.kind} is here"),) if written is not None and is_elsewhere else ()
            severity = None if found.is_chosen else Severity.INFO
            cause = _cause(found).at(written.path, written.span) if written is not None and is_elsewhere else None
            yield self.finding(found.argument, _message(found), trace=trace, severity=severity, cause=cause)


def _message(found: Unpicklable) -> str:
    what = quoted(found.argument)
    if not what.startswith("`lambda"):
        what += f" {_is_or_holds(found)}, which"
    where = "for spawned workers" if found.is_chosen else "for workers on Windows and macOS"
    return f"{what} cannot be pickled {where}; {_CURE}"


def _cause(found: Unpicklable) -> Cause:
    """Return what loaders that are given the same lambda or function have in common."""
    return Cause(f"{_is_or_holds(found)}, which cannot be pickled", "with it", _CURE)


def _is_or_holds(found: Unpicklable) -> str:
    return f"{'holds' if found.local.is_held else 'is'} {found.local.kind}"
