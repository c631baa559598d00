"""Arguments that a constructor makes attributes all at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]

HERE = {
    "a loop": "for name, value in locals().items():\n    setattr(self, name, value)",
    "a loop that leaves some out": (
        "for name, value in list(locals().items()):\n    if name != 'self':\n        setattr(self, name, value)"
    ),
    "its dict": "self.__dict__.update(locals())",
    "its dict as vars": "vars(self).update(locals())",
    "some of its dict": "self.__dict__.update({k: v for k, v in locals().items() if k != 'self'})",
    "a name for them": "given = locals()\ndel given['self']\nself.__dict__.update(given)",
    "a copy of them": "given = dict(locals())\nfor key in given:\n    setattr(self, key, given[key])",
}
HELPERS = {
    "taking the object out of them": "me = given['self']\nfor key in given:\n    setattr(me, key, given[key])",
    "a name for the attribute": (
        "me = given.pop('self')\nfor key in signature(me):\n    name = key\n    setattr(me, name, given[key])"
    ),
    "a dict of the object": "given['self'].__dict__.update(given)",
}
CLASS = """
class Algorithm:
    def __init__(self, agent, record=False):
        {keeping}

    def step(self):
        return self.record

def build():
    algorithm = Algorithm(3)
    use(algorithm.agent, algorithm.record)
"""


def _class(keeping: str) -> str:
    return CLASS.format(keeping=keeping.replace("\n", "\n        "))


@pytest.mark.parametrize("keeping", HERE.values(), ids=HERE.keys())
def test_a_method_keeps_its_arguments(program: Program, keeping: str) -> None:
    project = program(_class(keeping))

    assert project.literals("algorithm.agent") == [3]
    assert project.literals("self.record") == [False]


@pytest.mark.parametrize("body", HELPERS.values(), ids=HELPERS.keys())
def test_a_helper_of_another_file_keeps_them(project_of: ProjectOf, body: str) -> None:
    helper = "def keep(given):\n    " + body.replace("\n", "\n    ")

    project = project_of({"main.py": "from arguments import keep\n" + _class("keep(locals())"), "arguments.py": helper})

    assert project.literals("algorithm.agent") == [3]


def test_a_helper_may_be_given_the_object(program: Program) -> None:
    helper = "def keep(owner, given):\n    for k, v in given.items():\n        setattr(owner, k, v)\n"

    project = program(helper + _class("keep(self, locals())"))

    assert project.literals("algorithm.agent") == [3]


def test_a_helper_may_be_inherited(program: Program) -> None:
    base = "class Base:\n    def keep(self, given):\n        self.__dict__.update(given)\n"

    project = program(base + _class("self.keep(locals())").replace("Algorithm:", "Algorithm(Base):"))

    assert project.literals("algorithm.agent") == [3]


def test_a_helper_may_put_underscores_before_the_names(program: Program) -> None:
    helper = "def keep(given):\n    me = given['self']\n    for k in given:\n        setattr(me, '_' + k, given[k])\n"

    project = program(helper + _class("keep(locals())") + "    use(algorithm._agent)\n")

    assert project.literals("algorithm._agent") == [3]


OTHERS = {
    "a function that only prints": "def keep(given):\n    print(given)\n",
    "one that fills something else": "def keep(given):\n    store.__dict__.update(given)\n",
    "one that keeps something else": "def keep(given):\n    given['self'].__dict__.update(defaults)\n",
    "one that nobody knows": "from somewhere import keep\n",
}


@pytest.mark.parametrize("helper", OTHERS.values(), ids=OTHERS.keys())
def test_whoever_is_shown_the_arguments_does_not_keep_them(program: Program, helper: str) -> None:
    project = program(helper + _class("keep(locals())"))

    assert project.literals("algorithm.agent") == ["Unknown"]


def test_what_is_deleted_is_not_kept(program: Program) -> None:
    project = program(_class("self._agent = agent + 1\ndel agent\nself.__dict__.update(locals())"))

    assert project.literals("algorithm.agent") == ["Unknown"]


def test_others_are_given_other_things(program: Program) -> None:
    project = program(_class("for name, value in locals().items():\n    setattr(other, name, value)"))

    assert project.literals("algorithm.agent") == ["Unknown"]


TRAINING = """
    import torch
    from torch import nn

    class Algorithm:
        def __init__(self, model, record={record}):
            for name, value in list(locals().items()):
                setattr(self, name, value)
            self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(self, batch):
            loss = self.model(batch).mean()
            loss.backward()
            self.optimizer.step()
            if self.record:
                print(loss.item())

    def build(batches):
        algorithm = Algorithm(nn.Linear(3, 1).cuda())
        for batch in batches:
            algorithm.step(batch)
    """


@pytest.mark.parametrize(("record", "found"), [("False", []), ("True", ["print(loss.item())"])])
def test_an_option_that_is_off_keeps_the_read_from_every_step(program: Program, record: str, found: list[str]) -> None:
    project = program(TRAINING.format(record=record))

    assert project.reported("item-in-training-loop") == found
