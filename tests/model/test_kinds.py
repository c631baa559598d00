"""What `isinstance` and `torch.is_tensor` leave of a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Instance, Literal, Number, Tensor

Program: TypeAlias = Callable[[str], Checkout]

_TESTED = """\
import torch
from torch.autograd import Variable

value = len(words) if more else torch.rand(3)
if {test}:
    value  # held
else:
    value  # refused
"""
EVERY_TENSOR = ["isinstance(value, torch.Tensor)", "isinstance(value, Variable)", "torch.is_tensor(value)"]
SOME_TENSORS = ["isinstance(value, torch.cuda.FloatTensor)", "isinstance(value, torch.nn.Parameter)"]


@pytest.mark.parametrize("test", EVERY_TENSOR)
def test_every_tensor_is_one_whatever_the_class_is_called(program: Program, test: str) -> None:
    checkout = program(_TESTED.format(test=test))

    assert Tensor not in _types(checkout, "refused")
    assert Number not in _types(checkout, "held")
    assert Number in _types(checkout, "refused")


@pytest.mark.parametrize("test", SOME_TENSORS)
def test_some_tensors_are_of_a_special_kind(program: Program, test: str) -> None:
    checkout = program(_TESTED.format(test=test))

    assert Tensor in _types(checkout, "held")
    assert Tensor in _types(checkout, "refused")
    assert Number not in _types(checkout, "held")
    assert Number in _types(checkout, "refused")


_LOGGED = """\
import torch
from torch.autograd import Variable

def on_host(value):
    if isinstance(value, Variable):
        value = value.data
    return value.cpu().numpy()

model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i, x in enumerate(torch.utils.data.DataLoader([])):
    loss = model(x.cuda()).sum()
    loss.backward()
    optimizer.step()
    on_host({value})
"""


def test_a_number_that_is_no_variable_is_copied_from_nowhere(program: Program) -> None:
    assert program(_LOGGED.format(value="i / 2")).reported("host-copy-in-training-loop") == []


def test_a_variable_is_copied_from_where_it_is(program: Program) -> None:
    reported = program(_LOGGED.format(value="loss")).reported("host-copy-in-training-loop")

    assert reported == ["return value.cpu().numpy()"]


def _types(checkout: Checkout, mark: str) -> set[type]:
    return {type(one) for one in checkout.values("value", mark=mark)}


_ASKED = """\
import torch
from torch import nn

class Net(nn.Module):
    def encode(self, x):
        return x

def save(**extra):
    for key, value in extra.items():
        if hasattr(value, "{name}"):
            value  # held
        else:
            value  # refused

save(net={made}, epoch=3, name="last", nothing=None)
"""


@pytest.mark.parametrize("name", ["state_dict", "parameters", "training", "eval"])
@pytest.mark.parametrize("made", ["Net()", "nn.Linear(4, 2)", "torch.compile(Net())", "nn.DataParallel(Net())"])
def test_every_module_has_what_modules_have_and_no_constant_does(program: Program, name: str, made: str) -> None:
    checkout = program(_ASKED.format(name=name, made=made))

    assert not _types(checkout, "refused") - {Literal}
    assert Literal not in _types(checkout, "held")
    assert len(_types(checkout, "held")) == 1


@pytest.mark.parametrize("name", ["encode", "weight", "set_submodule"])
def test_what_some_modules_have_may_be_lacking(program: Program, name: str) -> None:
    checkout = program(_ASKED.format(name=name, made="Net()"))

    assert Instance in _types(checkout, "held") & _types(checkout, "refused")


def test_a_constant_has_what_python_gives_it(program: Program) -> None:
    checkout = program(_ASKED.format(name="startswith", made="Net()"))

    assert Literal("last") in checkout.values("value", mark="held")
    assert Literal("last") not in checkout.values("value", mark="refused")
