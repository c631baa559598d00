"""What a file says and calls by a name, and assigns to one, is looked up by that name."""

from __future__ import annotations

import ast
from pathlib import Path

from torchlint.model import Project, SourceFile

_PROGRAM = """
from torch.nn import DataParallel as Wrapper, Linear

def build(net):
    kinds = {"torch.nn.DataParallel": None}
    net.register_buffer("mean", nn.zeros(1))
    if kinds:
        net.register_buffer("mean", nn.ones(1))
    net.register_buffer(name, nn.DataParallel(Wrapper))
    net.size = 1
    net.size += 1
"""


def _opened() -> SourceFile:
    return Project(Path("/nowhere")).open(Path("/nowhere/a.py"), "a.py", _PROGRAM.encode())


def test_imports_texts_and_attributes_say_a_last_name() -> None:
    nodes = [ast.unparse(node) for node, _ in _opened().said_names.saying(["DataParallel"])]

    assert nodes == ["DataParallel as Wrapper", "'torch.nn.DataParallel'", "nn.DataParallel"]


def test_what_says_two_names_is_given_once_and_in_order() -> None:
    found = _opened().said_names.saying(["Wrapper", "DataParallel"])

    assert [statement.lineno for _, statement in found] == [2, 5, 9, 9]


def test_calls_are_looked_up_by_the_text_that_they_are_passed_first() -> None:
    calls = _opened().calls_naming("register_buffer", "mean")

    assert [ast.unparse(call.args[1]) for call, _ in calls] == ["nn.zeros(1)", "nn.ones(1)"]


def test_assignments_are_looked_up_by_what_they_assign_to() -> None:
    assert [one.is_addition for one in _opened().assignments_to("net.size")] == [False, True]
    assert not _opened().assignments_to("size")
