"""Methods that are called on objects of which nobody knows what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

ALGORITHM = """
    class Algorithm:
        def optimize(self, round, scale=1):
            return round
    """
OTHER = """
    class Worker:
        def optimize({parameters}):
            pass
    """


def _project(project_of: ProjectOf, call: str, parameters: str) -> Checkout:
    main = f"from algorithm import Algorithm\ndef run(algorithm):\n    algorithm.{call}\n"
    return project_of({"main.py": main, "algorithm.py": ALGORITHM, "other.py": OTHER.format(parameters=parameters)})


@pytest.mark.parametrize(
    ("call", "parameters"),
    [
        ("optimize(3)", "self"),
        ("optimize(3)", "self, first, second"),
        ("optimize(3, scale=2)", "self, round"),
        ("optimize(round=3)", "self, batch"),
        ("optimize(3)", "self, *, round"),
    ],
)
def test_what_cannot_be_called_so_is_not_meant(project_of: ProjectOf, call: str, parameters: str) -> None:
    project = _project(project_of, call, parameters)

    assert project.literals("round", "algorithm.py") == [3]


@pytest.mark.parametrize(
    ("call", "parameters"),
    [
        ("optimize(3)", "self, batch"),
        ("optimize(3)", "self, *batches"),
        ("optimize(3)", "self, batch, more=None"),
        ("optimize(round=3)", "self, **settings"),
        ("optimize(3, *more)", "self, batch, target"),
        ("optimize()", "self"),
    ],
)
def test_what_may_be_called_so_may_be_meant(project_of: ProjectOf, call: str, parameters: str) -> None:
    project = _project(project_of, call, parameters)

    assert project.literals("round", "algorithm.py") == ["Unknown"]
