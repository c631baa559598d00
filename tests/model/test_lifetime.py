"""What an object's attribute is follows from the methods that may have run for it."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

TASK = """\
from torch import nn
class Task(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
    def prepare(self):
        self.net = nn.DataParallel(self.net)
    def set_up(self):
        self.prepare()
def build():
    return Task(nn.Linear(2, 2))
def wrap(task):
    task.prepare()
"""
# Each reads `task.net` once, on the marked line.
NOT_WRAPPED = {
    "nothing is called": """
        def main():
            task = Task(nn.Linear(2, 2))
            task.net  # here
        """,
    "something else is called": """
        def main():
            task = Task(nn.Linear(2, 2))
            task(1)
            task.net  # here
        """,
    "a factory makes it": """
        def main():
            task = build()
            task.net  # here
        """,
    "a factory of factories makes it by a name": """
        def named():
            task = build()
            return task
        def main():
            task = named()
            task.net  # here
        """,
    "another call of the factory is told by what it passes": """
        def of(width):
            return Task(nn.Linear(width, width))
        def other():
            task = of(3)
            task.prepare()
        def main():
            task = of(2)
            task.net  # here
        """,
}
WRAPPED = {
    "the method is called": """
        def main():
            task = Task(nn.Linear(2, 2))
            task.prepare()
            task.net  # here
        """,
    "a method calls it": """
        def main():
            task = Task(nn.Linear(2, 2))
            task.set_up()
            task.net  # here
        """,
    "a function is given the object": """
        def main():
            task = Task(nn.Linear(2, 2))
            wrap(task)
            task.net  # here
        """,
    "nobody knows who is given the object": """
        def main(callback):
            task = Task(nn.Linear(2, 2))
            callback(task)
            task.net  # here
        """,
    "who was given the object by a factory calls it": """
        def main():
            task = build()
            task.prepare()
            task.net  # here
        """,
    "the factory calls it": """
        def ready():
            task = Task(nn.Linear(2, 2))
            task.prepare()
            return task
        def main():
            task = ready()
            task.net  # here
        """,
    "another function is given the object of a factory": """
        def main():
            task = build()
            wrap(task)
            task.net  # here
        """,
    "nobody knows where the object of a factory goes": """
        tasks = {}
        def main():
            task = build()
            tasks["one"] = task
            task.net  # here
        """,
    "a factory that is handed on": """
        def main(run):
            run(build)
            task = build()
            task.net  # here
        """,
    "the object is kept by another": """
        class Run:
            def __init__(self):
                self.task = build()
                task = self.task
                task.net  # here
        """,
}


def _kinds(checkout: Checkout) -> set[str]:
    return {getattr(value, "name", "") for value in checkout.values("task.net", mark="here")}


@pytest.mark.parametrize("code", NOT_WRAPPED.values(), ids=NOT_WRAPPED)
def test_what_a_method_stores_is_not_there_where_nobody_calls_it(program: Program, code: str) -> None:
    assert _kinds(program(TASK + dedent(code))) == {"torch.nn.Linear"}


@pytest.mark.parametrize("code", WRAPPED.values(), ids=WRAPPED)
def test_what_a_method_stores_may_be_there_where_somebody_may_call_it(program: Program, code: str) -> None:
    assert "torch.nn.DataParallel" in _kinds(program(TASK + dedent(code)))


TRAINER = """\
from torch import nn
class Trainer:
    def __init__(self):
        self.net = nn.Linear(2, 2)
    def set_up(self):
        self.net  # above
        self.net = nn.DataParallel(self.net)
        self.net  # below
    def train(self):
        self.net  # elsewhere
def main():
    trainer = Trainer()
    for _ in range(2):
        trainer.set_up()
        trainer.train()
"""


def test_what_a_method_wraps_is_bare_further_up_in_it(program: Program) -> None:
    values = program(TRAINER).values("self.net", mark="above")

    assert [getattr(value, "name", "") for value in values] == ["torch.nn.Linear"]


@pytest.mark.parametrize("mark", ["below", "elsewhere"])
def test_what_a_method_wraps_is_wrapped_below_and_elsewhere(program: Program, mark: str) -> None:
    values = program(TRAINER).values("self.net", mark=mark)

    assert "torch.nn.DataParallel" in {getattr(value, "name", "") for value in values}


INHERITED = """
    class Base:
        def setup(self):
            self.width = 1

    class Wide(Base):
        def {method}(self):
            {body}
            self.width = 2

    def use(wide: Wide):
        return wide.width
    """


@pytest.mark.parametrize(
    ("method", "body", "expected"),
    [
        ("setup", "pass", [2]),
        ("setup", "kept = super().setup", [2]),
        ("setup", "super().setup()", [1, 2]),
        ("setup", "Base.setup(self)", [1, 2]),
        ("prepare", "pass", [1, 2]),
    ],
)
def test_a_method_that_is_overridden_runs_where_it_is_called_so(
    program: Program, method: str, body: str, expected: list[int]
) -> None:
    project = program(INHERITED.format(method=method, body=body))

    assert project.literals("wide.width") == expected
