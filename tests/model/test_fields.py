"""What the fields of a dataclass or a NamedTuple were given when the object was made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Built, Literal, Unknown, Value

Program: TypeAlias = Callable[[str], Checkout]

_RECORD = """\
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple
from torch import nn

{head}
    {fields}

def made(*many, **more):
    return Record({arguments})

made().net
"""
_HEADS = {
    "a dataclass": "@dataclass\nclass Record:",
    "a dataclass that is called": "@dataclass(frozen=True)\nclass Record:",
    "a named tuple": "class Record(NamedTuple):",
    "an heir": "@dataclass\nclass Base:\n    count: int\n\n@dataclass\nclass Record(Base):",
}
_SECOND = "count: int\n    net: Any = 'none'"


def _net(program: Program, head: str, fields: str, arguments: str) -> list[Value]:
    return program(_RECORD.format(head=head, fields=fields, arguments=arguments)).values("made().net")


@pytest.mark.parametrize(
    "arguments", ["3, nn.ReLU()", "3, net=nn.ReLU()", "net=nn.ReLU(), count=3", "*[3], net=nn.ReLU()"]
)
@pytest.mark.parametrize("head", _HEADS.values(), ids=_HEADS)
def test_a_field_is_what_the_object_was_made_with(program: Program, head: str, arguments: str) -> None:
    fields = "net: Any = 'none'" if "Base" in head else _SECOND

    assert _net(program, head, fields, arguments) == [Built("torch.nn.ReLU")]


@pytest.mark.parametrize(
    "fields",
    ["kind: ClassVar[int] = 3\n    net: Any = 'none'", "kind: int = field(init=False)\n    net: Any = 'none'"],
)
def test_what_is_no_argument_takes_no_position(program: Program, fields: str) -> None:
    assert _net(program, _HEADS["a dataclass"], fields, "nn.ReLU()") == [Built("torch.nn.ReLU")]


@pytest.mark.parametrize("arguments", ["*many", "3, **more"])
def test_what_nobody_sees_may_be_anything(program: Program, arguments: str) -> None:
    found = _net(program, _HEADS["a named tuple"], _SECOND, arguments)

    assert any(isinstance(one, Unknown) for one in found)


def test_a_field_that_is_left_out_has_its_default(program: Program) -> None:
    assert _net(program, _HEADS["a named tuple"], _SECOND, "3") == [Literal("none")]


def test_an_init_that_is_written_out_says_itself_what_it_stores(program: Program) -> None:
    init = "net: Any\n    def __init__(self, net):\n        self.net = nn.Tanh()"

    assert _net(program, _HEADS["a dataclass"], init, "nn.ReLU()") == [Built("torch.nn.Tanh")]
