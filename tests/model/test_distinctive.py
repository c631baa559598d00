"""Methods that are called on unknown objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

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


INDEX = """
    class Encoder:
        def search_near(self, queries, device: str = None, threshold: float = 0.6, top_k: int = 5):
            return device
    """


@pytest.mark.parametrize("call", ["search_near(vectors, top_k)", "search_near(vectors, 5)", 'search_near(1, "a", "b")'])
def test_what_is_for_another_parameter_is_not_passed_by_name_alone(project_of: ProjectOf, call: str) -> None:
    main = f"def run(index, vectors, top_k=5):\n    index.{call}\n"
    project = project_of({"main.py": main, "encoder.py": INDEX})

    assert project.literals("device", "encoder.py") == ["Text", None]


@pytest.mark.parametrize(
    "call", ["search_near(top, device)", "search_near(top, where, 0.5)", 'search_near(top, "cuda")']
)
def test_what_is_for_its_parameter_is_passed_by_name_alone(project_of: ProjectOf, call: str) -> None:
    main = f'def run(index, top):\n    device = where = "cuda"\n    index.{call}\n'
    project = project_of({"main.py": main, "encoder.py": INDEX})

    assert project.literals("device", "encoder.py") == ["cuda"]
