"""A budget of steps: what one rule may ask about one file, the same number on every machine.

A step is a question asked of the model, or a stretch of code walked over for one. Seconds would let a slow machine
report less than a fast one; steps stop everywhere at the same question.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

# The most that a rule took in any file of 15 packages was 356,000 (torchrl), the next most 313,000 (vllm).
FOR_A_RULE = 1_000_000
"""The steps that one rule may take in one file."""
FOR_A_FILE = 3_000_000
"""The steps that all rules together may take in one file; a question about the whole project, for each file of it."""


class BudgetSpentError(Exception):
    """A question took all the steps that it was allowed."""


class Steps:
    """The steps that are left to whoever is asking."""

    __slots__ = ("allowed", "left")

    def __init__(self) -> None:
        self.allowed = self.left = FOR_A_RULE

    @property
    def taken(self) -> int:
        """Return how many steps were taken of those that were allowed."""
        return self.allowed - self.left

    def allow(self, most: int) -> None:
        """Allow so many steps from here on."""
        self.allowed = self.left = most

    def take(self, some: int = 1) -> None:
        """Take steps; raise `BudgetSpentError` where none is left."""
        self.left -= some
        if self.left < 0:
            raise BudgetSpentError

    @contextmanager
    def apart(self, most: int) -> Iterator[None]:
        """Count what is asked here by itself: whoever asks first should not pay for what everybody is told."""
        outer = (self.allowed, self.left)
        self.allow(most)
        try:
            yield
        finally:
            self.allowed, self.left = outer
