"""A budget of steps: how many queries a rule may make in a file, the same number on every machine.

A step is a query of the model, or a walk over some code for one. With seconds, a slow machine would report less than a
fast one; steps stop everywhere at the same query.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

# In the files of torchrl 0.14.1 that were linted, a rule took at most 410,000.
FOR_A_RULE = 1_000_000
"""The steps that one rule may take in one file."""
FOR_A_FILE = 3_000_000
"""The steps that all rules together may take in one file; a question about the whole project, for each file of it."""


class BudgetSpentError(Exception):
    """A query took all the steps that it was allowed."""


class StoppedError(BaseException):
    """The work was stopped, as its result is not wanted any more; no rule may take this for a failure of its own."""


class Steps:
    """The steps that are left of a budget."""

    __slots__ = ("_is_stopped", "allowed", "left")

    def __init__(self) -> None:
        self.allowed = self.left = FOR_A_RULE
        self._is_stopped = False

    def stop(self) -> None:
        """Stop the work at its next step, or at the latest when the next rule begins; any thread may do so."""
        self._is_stopped = True
        self.left = -1

    def resume(self) -> None:
        """Let work begin again."""
        self._is_stopped = False

    @property
    def taken(self) -> int:
        """Return how many steps were taken of those that were allowed."""
        return self.allowed - self.left

    def allow(self, most: int) -> None:
        """Start a budget of so many steps."""
        if self._is_stopped:
            raise StoppedError
        self.allowed = self.left = most

    def take(self, some: int = 1) -> None:
        """Take steps; raise `BudgetSpentError` if none is left."""
        self.left -= some
        if self.left < 0:
            raise StoppedError if self._is_stopped else BudgetSpentError

    @contextmanager
    def apart(self, most: int) -> Iterator[None]:
        """Count the steps of a shared answer separately: the first query of it does not pay for all others."""
        outer = (self.allowed, self.left)
        self.allow(most)
        try:
            yield
        finally:
            self.allowed, self.left = outer
