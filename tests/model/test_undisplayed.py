"""What is no list or dict, as it is written."""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

from tests.checkout import Checkout
from torchlint.model import Project
from torchlint.model.place import Place
from torchlint.model.values.undisplayed import is_no_display
from torchlint.model.values.value_sets import Display
from torchlint.model.worlds import ANYWHERE

_FOLDERS = sorted(Path(str(files("torchlint.fixtures"))).iterdir())


@pytest.mark.parametrize("folder", [one for one in _FOLDERS if one.is_dir()], ids=lambda one: one.name)
def test_what_is_no_display_as_it_is_written_is_none_for_who_follows_it(folder: Path) -> None:
    project = Project(folder)
    opened = [project.open(path, path.name) for path in sorted(folder.rglob("*.py"))]
    every = [
        Place(file, node, statement)
        for file in opened
        for statement in file.index.home
        for node in file.parents_in(statement)
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
    ]

    refuted = [place for place in every if is_no_display(place.file.project.evaluator(ANYWHERE), place)]

    wrong = [p for p in refuted if any(isinstance(one.value, Display) for one in p.possibilities(ANYWHERE))]
    assert [f"{place.path}:{place.line} {place.text}" for place in wrong] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nn.Linear(1, 1)", True),
        ("nn.ReLU() if wide else None", True),
        ("Own()", True),
        ("made()", True),
        ("kept", True),
        ("[1]", False),
        ("copy.deepcopy(given)", False),
        ("listed()", False),
        ("either", False),
        ("given", False),
        ("count", True),
        ("rate", True),
        ("name", True),
        ("sizes", False),
        ("rebound", False),
        ("counts", False),
    ],
)
def test_calls_of_layers_and_names_for_them_and_numbers_are_no_displays(
    program: Callable[[str], Checkout], text: str, expected: bool
) -> None:
    code = f"""import copy
from typing import Optional
from torch import nn
class Own: pass
def made(): return nn.Linear(1, 1)
def listed(): return [nn.Linear(1, 1)]
def main(given, wide, count: int, rate: Optional[float], name: str | None, sizes: list[int], rebound: int, *counts: int):
    if wide:
        rebound = [rebound]
    kept = nn.Linear(1, 1)
    either = nn.Linear(1, 1)
    if wide:
        either = [either]
    return ({text})
"""

    place = _returned(program(code))

    assert is_no_display(place.file.project.evaluator(ANYWHERE), place) is expected


def _returned(checkout: Checkout) -> Place:
    file = checkout.file()
    statement = next(one for one in reversed(list(file.index.statements(ast.Return))))
    assert statement.value is not None
    return Place(file, statement.value, statement)
