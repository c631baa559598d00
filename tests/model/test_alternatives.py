"""Functions that are taken together, or one instead of the other, by the branch in which a program names them."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "wrapper-attribute"
NETS = """\
    from torch import nn

    class Finder:
        def resize(self, image):
            return image[:, :32, :32]

    def make_net():
        return nn.DataParallel(nn.Conv2d(3, 1, 1))

    def make_finder():
        return Finder()

    def run_net(detector, image):
        return detector(image)

    def run_finder(detector, image):
        return scaled(detector, image)

    def scaled(detector, image):
        return detector.resize(image)
    """
READER = """
    class Reader:
        def __init__(self, kind, other):
            {choice}
            self.detector = self.make()

        def read(self, image):
            return self.run(self.detector, image)
    """
TOGETHER = {
    "by tuples": """
            if kind == "craft":
                self.make, self.run = make_net, run_net
            else:
                self.make, self.run = make_finder, run_finder
        """,
    "by names": """
            if kind == "craft":
                make, run = make_net, run_net
            elif kind == "other":
                make, run = make_finder, run_finder
            else:
                raise ValueError(kind)
            self.make = make
            self.run = run
        """,
}
APART = {
    "the other way round": """
            if kind == "craft":
                self.make, self.run = make_net, run_finder
            else:
                self.make, self.run = make_finder, run_net
        """,
    "by two tests": """
            self.make = make_finder
            if kind == "craft":
                self.make = make_net
            self.run = run_net
            if other:
                self.run = run_finder
        """,
    "one for both": """
            if kind == "craft":
                self.make, self.run = make_net, run_net
            else:
                self.make, self.run = make_finder, run_finder
            self.run = self.run or run_finder
        """,
}


def reader(choice: str) -> str:
    return dedent(READER).format(choice=dedent(choice).strip().replace("\n", "\n        "))


@pytest.mark.parametrize("choice", TOGETHER.values(), ids=TOGETHER)
def test_what_one_branch_makes_is_not_given_to_what_the_other_runs(project_of: ProjectOf, choice: str) -> None:
    project = project_of({"main.py": dedent(NETS) + reader(choice)})

    assert project.reported(RULE) == []


@pytest.mark.parametrize("choice", APART.values(), ids=APART)
def test_what_both_branches_may_lead_to_is_given(project_of: ProjectOf, choice: str) -> None:
    project = project_of({"main.py": dedent(NETS) + reader(choice)})

    assert project.reported(RULE) == ["return detector.resize(image)"]


def test_a_call_beside_the_branches_leads_there_too(project_of: ProjectOf) -> None:
    beside = "\ndef check(image):\n    return run_finder(make_net(), image)\n"
    project = project_of({"main.py": dedent(NETS) + reader(TOGETHER["by tuples"]) + beside})

    assert project.reported(RULE) == ["return detector.resize(image)"]


NET = """\
    from torch import nn

    def make():
        return nn.DataParallel(nn.Conv2d(3, 1, 1))

    def run(detector, image):
        return detector(image)
    """
FINDER = """\
    class Finder:
        def resize(self, image):
            return image[:, :32, :32]

    def make():
        return Finder()

    def run(detector, image):
        return detector.resize(image)
    """
IMPORTING = """
    if kind == "craft":
        from net import make, run
    else:
        from finder import make, run
    self.make, self.run = make, run
    """


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", []),
        (
            "import finder, net\ndef check(image):\n    return finder.run(net.make(), image)\n",
            ["return detector.resize(image)"],
        ),
        ("from finder import run\nfrom net import make\nrun(make(), 1)\n", ["return detector.resize(image)"]),
    ],
    ids=["alone", "by the files", "by names"],
)
def test_what_is_imported_in_one_branch_is_not_given_to_the_other(
    project_of: ProjectOf, more: str, expected: list[str]
) -> None:
    files = {"net.py": NET, "finder.py": FINDER, "main.py": reader(IMPORTING), "more.py": more}

    assert project_of(files).reported(RULE, "finder.py") == expected
