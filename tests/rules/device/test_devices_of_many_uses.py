"""A CUDA device that many files get from where it was set is one decision, and reported once."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.def_use import MOST_USES

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

RULE = "hardcoded-cuda"
GLOBAL = """
    import torch

    _DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def set_device(device):
        global _DEVICE
        _DEVICE = device

    def get_device():
        return _DEVICE
    """
CLASS = """
    class Chosen:
        device = "cpu"

    def set_device(device):
        Chosen.device = device

    def get_device():
        return Chosen.device
    """
DEFAULT = """
    _DEVICE = "cpu"

    def set_device(device="cuda"):
        global _DEVICE
        _DEVICE = device

    def get_device():
        return _DEVICE
    """
OPTION = """
    import argparse
    import torch
    from devices import set_device

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    set_device(torch.device(args.device))
    """
OPTION_TEXT = OPTION.replace("torch.device(args.device)", "args.device")
SETTING = """
    from devices import set_device

    set_device({})
    """
GETTER = """
    def get_device():
        return "cuda"
    """
METHOD = """
    from devices import get_device

    class Agent:
        def __init__(self):
            self.device = get_device()

    """
METHOD_USE = "    def act{n}(self, x):\n        return x.to(self.device)\n"
FUNCTION_USE = "def act{n}(x):\n    device = get_device()\n    return x.to(device)\n"


def users(head: str, each: str) -> dict[str, str]:
    many = "".join(each.format(n=n) for n in range(MOST_USES // 2))
    return {f"{name}.py": dedent(head) + many for name in ("actor", "critic", "memory")}


USERS = {
    "an attribute": users(METHOD, METHOD_USE),
    "a variable": users("from devices import get_device\n", FUNCTION_USE),
    "an imported constant": users("from devices import DEVICE\n", "def act{n}(x):\n    return x.to(DEVICE)\n"),
}
SET = {
    "an option": (GLOBAL, OPTION, ("main.py", 'parser.add_argument("--device", default="cuda")')),
    "the text of an option": (GLOBAL, OPTION_TEXT, ("main.py", 'parser.add_argument("--device", default="cuda")')),
    "an option in a class": (CLASS, OPTION, ("main.py", 'parser.add_argument("--device", default="cuda")')),
    "a literal": (GLOBAL, SETTING.format('"cuda"'), ("main.py", 'set_device("cuda")')),
    "an f-string": (GLOBAL, SETTING.format('f"cuda:{0}"'), ("main.py", 'set_device(f"cuda:{0}")')),
    "the default of the setter": (DEFAULT, SETTING.format(""), ("devices.py", 'def set_device(device="cuda"):')),
    "the getter": (GETTER, "", ("devices.py", 'return "cuda"')),
}
GETTING = ("an attribute", "a variable")


def reported(project: Checkout, files: dict[str, str]) -> list[tuple[str, str]]:
    return [(path, line) for path in files for line in project.reported(RULE, path)]


@pytest.mark.parametrize("using", GETTING)
@pytest.mark.parametrize("setting", SET)
def test_a_device_that_others_get_is_reported_where_it_is_set(project_of: ProjectOf, setting: str, using: str) -> None:
    devices, main, decision = SET[setting]
    files = {"devices.py": dedent(devices), "main.py": dedent(main), **USERS[using]}

    assert reported(project_of(files), files) == [decision]


def test_a_constant_that_others_import_is_reported_where_each_uses_it(project_of: ProjectOf) -> None:
    using = USERS["an imported constant"]
    files = {"devices.py": 'DEVICE = "cuda"\n', **using}

    assert set(reported(project_of(files), files)) == {(path, "return x.to(DEVICE)") for path in using}


PASSED_TOO = """
    from actor import act

    DEVICE = {}

    def run(x):
        return act(x, DEVICE)
    """
RECEIVING = """
    def act(x, device):
        return x.to(device)
    """
IMPORTING = """
    from devices import DEVICE

    def judge(x):
        return x.to(DEVICE)
    """


def test_a_constant_that_is_passed_on_too_is_reported_where_it_stands(project_of: ProjectOf) -> None:
    device = PASSED_TOO.format('"cuda"')
    files = {"devices.py": dedent(device), "actor.py": dedent(RECEIVING), "critic.py": dedent(IMPORTING)}

    assert reported(project_of(files), files) == [("devices.py", 'DEVICE = "cuda"')]


def test_an_index_that_is_passed_on_too_is_reported_where_it_is_imported(project_of: ProjectOf) -> None:
    files = {"devices.py": dedent(PASSED_TOO.format(1)), "actor.py": dedent(RECEIVING), "critic.py": dedent(IMPORTING)}

    assert ("critic.py", "return x.to(DEVICE)") in reported(project_of(files), files)
