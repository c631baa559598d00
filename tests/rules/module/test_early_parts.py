"""What a constructor gives its module before that is initialized."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "missing-super-init"
CODE = """\
import torch
from abc import ABC
from torch import nn
class Plain:
    def __init__(self): self.size = 3
class Friendly:
    def __init__(self):
        super().__init__()
class Bare:
    pass
class Late(nn.Module):
    def __init__(self, width=3): super().__init__()
    @property
    def out(self): return None
    @out.setter
    def out(self, value): pass
class Forgetful(nn.Module):
    def __init__(self): self.size = 3
{decorator}
class Net({bases}):
    def __init__(self, given):
        {body}
    def prepare(self):
        super().__init__()
    def measure(self):
        self.size = 3
Net(nn.Linear(3, 3))
"""
GIVEN = {
    "self.f = nn.Linear(3, 3)": True,
    "self.f = nn.Linear(3, 3).float()": True,
    "self.f = nn.Parameter(torch.ones(3))": True,
    "self.f = nn.Buffer(torch.ones(3))": True,
    "self.f = given": True,
    "self.register_buffer('f', torch.ones(3))": True,
    "self.add_module('f', given)": True,
    "if given: self.f = nn.Linear(3, 3)": True,
    "self.f = 3": False,
    "self.f = None": False,
    "self.f = torch.ones(3)": False,
    "self.f = [nn.Linear(3, 3)]": False,
    "self.f = nn.Linear": False,
    "self.f = make()": False,
    "f = nn.Linear(3, 3)": False,
    "given.f = nn.Linear(3, 3)": False,
    "self.out = nn.Linear(3, 3)": False,
}
BEFORE = {
    "super().__init__()": False,
    "super(Net, self).__init__()": False,
    "nn.Module.__init__(self)": False,
    "Late.__init__(self)": False,
    "self.prepare()": False,
    "prepare(self)": False,
    "def start(): super(Net, self).__init__()\n        start()": False,
    "self.__dict__.update(given.__dict__)": False,
    "self.measure()": True,
    "self.size = 3": True,
    "print(given)": True,
    "super()._init_()": True,
}
BASES = {
    "Late": False,
    "Forgetful": True,
    "Plain, nn.Module": True,
    "nn.Module, Plain": False,
    "Friendly, nn.Module": False,
    "Bare, nn.Module": False,
    "ABC, nn.Module": False,
    "Somebody, Forgetful": False,
    "Plain": False,
    "nn.Parameter": False,
    "nn.Sequential": False,
}


@pytest.mark.parametrize(("given", "is_found"), GIVEN.items(), ids=GIVEN)
def test_a_module_that_is_not_initialized_takes_no_parts(program: Program, given: str, is_found: bool) -> None:
    code = CODE.format(decorator="", bases="Late", body=f"{given}\n        super().__init__()")

    assert program(code).reported(RULE) == ([given] if is_found else [])


@pytest.mark.parametrize(("before", "is_found"), BEFORE.items(), ids=BEFORE)
def test_a_module_is_initialized_by_its_constructor(program: Program, before: str, is_found: bool) -> None:
    code = CODE.format(decorator="", bases="Late", body=f"{before}\n        self.f = nn.Linear(3, 3)")

    assert len(program(code).findings(RULE)) == is_found


@pytest.mark.parametrize(("bases", "is_found"), BASES.items(), ids=BASES)
def test_the_bases_hand_the_call_on_to_the_module(program: Program, bases: str, is_found: bool) -> None:
    code = CODE.format(decorator="", bases=bases, body="super().__init__()\n        self.f = nn.Linear(3, 3)")

    assert len(program(code).findings(RULE)) == is_found


@pytest.mark.parametrize(("decorator", "bases"), [("@made", "nn.Module"), ("", "nn.Module, metaclass=Made")])
def test_whoever_makes_the_class_may_initialize_its_objects(program: Program, decorator: str, bases: str) -> None:
    code = CODE.format(decorator=decorator, bases=bases, body="self.f = nn.Linear(3, 3)")

    assert program(code).findings(RULE) == []


def test_a_base_of_another_file_is_looked_into(project_of: Callable[[dict[str, str]], Checkout]) -> None:
    base = "from torch import nn\nclass Base(nn.Module):\n    def __init__(self): self.size = 3\n"
    net = "        super().__init__()\n        self.f = nn.Linear(3, 3)\n"
    checkout = project_of(
        {
            "base.py": base,
            "main.py": f"from torch import nn\nfrom base import Base\nclass Net(Base):\n    def __init__(self):\n{net}",
        }
    )

    assert checkout.reported(RULE) == ["self.f = nn.Linear(3, 3)"]
    assert checkout.trace(RULE)[0][1:] == (
        "super().__init__()",
        "runs a constructor that does not call `Module.__init__`",
    )


FORWARD = "\n    def forward(self, x): return x"
GAMMA = "(nn.Module):\n    def __init__(self): self.gamma = 2"
WITHOUT_PARTS = {
    "a loss": (f"class Loss{GAMMA}{FORWARD}", True),
    "nothing at all": (f"class Loss(nn.Module):\n    def __init__(self): pass{FORWARD}", True),
    "initialized late": (f"class Loss{GAMMA}; super().__init__(){FORWARD}", False),
    "without a constructor": (f"class Loss(nn.Module):{FORWARD}", False),
    "without forward": (f"class Loss{GAMMA}", False),
    "with the forward of a base": (
        f"class Base(nn.Module):{FORWARD}\nclass Loss(Base):\n    def __init__(self): self.gamma = 2",
        True,
    ),
    "a class of its own": (f"class Loss:\n    def __init__(self): self.gamma = 2{FORWARD}", False),
    "a subclass of an unknown class": (
        f"from other import Base\nclass Loss(Base, nn.Module):\n    def __init__(self): self.gamma = 2{FORWARD}",
        False,
    ),
    "abstract": (f"class Loss(nn.Module):\n    def __init__(self): raise NotImplementedError{FORWARD}", False),
    "initialized by its subclass": (
        f"class Loss{GAMMA}{FORWARD}\nclass Other(Loss):\n"
        "    def __init__(self): nn.Module.__init__(self); Loss.__init__(self)",
        False,
    ),
    "initialized by a method": (
        f"class Loss(nn.Module):\n    def __init__(self): self.start()\n    def start(self): super().__init__(){FORWARD}",
        False,
    ),
    "a dataclass": (f"from dataclasses import dataclass\n@dataclass\nclass Loss{GAMMA}{FORWARD}", False),
}


@pytest.mark.parametrize(("code", "is_found"), WITHOUT_PARTS.values(), ids=WITHOUT_PARTS)
def test_a_module_without_parts_is_initialized_too(program: Program, code: str, is_found: bool) -> None:
    assert bool(program(f"from torch import nn\n{code}\n").findings(RULE)) == is_found
