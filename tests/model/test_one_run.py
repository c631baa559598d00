"""Whether one run may come to two places: what starts it leads to both."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.call_graph.one_run import may_be_in_one_run
from torchlint.model.worlds import ANYWHERE

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

_SCRIPT = """\
from other import *
def train():
    choose()
if __name__ == "__main__":
    train()
"""
_TWO = "def load():\n    shuffle()\n"


def in_one_run(checkout: Checkout) -> bool:
    one, other = checkout.place("choose()"), checkout.place("shuffle()", "other.py")
    return may_be_in_one_run(one.file.project.evaluator(ANYWHERE), one, other)


@pytest.mark.parametrize(
    "other",
    [
        _TWO,
        f"{_TWO}def measure():\n    load()\n",
        f"{_TWO}def both():\n    measure()\ndef measure():\n    load()\n",
        f"{_TWO}def again():\n    load()\n    again()\ndef first():\n    again()\n",
        f"{_TWO}def measure():\n    for _ in range(3):\n        load()\nclass Model: pass\n",
    ],
)
def test_what_only_a_function_that_nobody_calls_leads_to_is_no_part_of_a_script(
    project_of: ProjectOf, other: str
) -> None:
    assert not in_one_run(project_of({"main.py": _SCRIPT, "other.py": other}))


@pytest.mark.parametrize(
    ("script", "other"),
    [
        (_SCRIPT, "shuffle()\n"),
        (f"{_SCRIPT}    load()\n", _TWO),
        (f"{_SCRIPT}    measure()\n", f"{_TWO}def measure():\n    load()\n"),
        (_SCRIPT, f"{_TWO}load()\n"),
        # Who uses the package may call both, and calls what another way than a name leads to.
        ("from other import *\ndef train():\n    choose()\n", _TWO),
        ("from other import *\nchoose()\n", _TWO),
        (_SCRIPT, f"{_TWO}STEPS = {{'load': load}}\n"),
        (_SCRIPT, "@register\ndef load():\n    shuffle()\n"),
        (_SCRIPT, "class Loaders:\n    def load(self):\n        shuffle()\n"),
        (_SCRIPT, "def loading():\n    def load():\n        shuffle()\n    return load\n"),
        (_SCRIPT, f"import main\n{_TWO}"),
        (_SCRIPT, f"import importlib\nimportlib.import_module(name)\n{_TWO}"),
    ],
)
def test_what_a_script_or_a_user_may_come_to_is_in_one_run(project_of: ProjectOf, script: str, other: str) -> None:
    assert in_one_run(project_of({"main.py": script, "other.py": other}))


@pytest.mark.parametrize(
    ("loading", "is_one"),
    [("from other import load\nload()\n", False), ("import main\nfrom other import load\nload()\n", True)],
)
def test_two_scripts_that_import_one_package_are_two_runs(project_of: ProjectOf, loading: str, is_one: bool) -> None:
    files = {"main.py": "import other\nchoose()\n", "other.py": _TWO, "loading.py": loading}

    assert in_one_run(project_of(files)) is is_one


def test_files_that_no_program_shares_are_in_no_run(project_of: ProjectOf) -> None:
    assert not in_one_run(project_of({"main.py": "choose()\n", "other.py": "shuffle()\n"}))
