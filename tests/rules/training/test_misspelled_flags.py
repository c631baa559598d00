"""Which attributes of tensors and modules are meant to be `requires_grad`, and are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from rules.training.detectors.misspelled_flags import is_misspelled
from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "require-grad-typo"
HEAD = "import torch\nfrom torch import nn\nnet = nn.Linear(2, 2)\n"
OF_ALL = "for p in net.parameters():\n    p.require_grad = False\n"
FLAGS = {
    "of each parameter": (OF_ALL, True),
    "of what nobody knows has parameters": (f"def freeze(net):\n    {OF_ALL.replace('    p', '        p')}", True),
    "of a tensor": ("x = torch.ones(2)\nx.require_grad = True\n", True),
    "of a weight": ("net.weight.require_grad = False\n", True),
    "of a module": ("net.require_grad = False\n", True),
    "by the name of the method": ("net.weight.requires_grad_ = False\nnet.requires_grad_(False)\n", True),
    "as it is spelled": ("net.weight.requires_grad = False\n", False),
    "of what nobody knows": ("thing.require_grad = False\n", False),
    "that is read": (OF_ALL + "print(net.weight.require_grad)\n", False),
    "that is asked for": (OF_ALL + "print(getattr(net.weight, 'require_grad', True))\n", False),
    "that others have": (
        "class Part:\n    require_grad = True\npart = Part()\nprint(part.require_grad)\n" + OF_ALL,
        True,
    ),
    "that the module has": (
        "class Net(nn.Module):\n    def __init__(self):\n        self.require_grad = True\nnet = Net()\n"
        "net.require_grad = False\n",
        False,
    ),
}
SPELLINGS = {
    "require_grad": True,
    "requires_grads": True,
    "requires_gradient": True,
    "required_grad": True,
    "requires_gard": True,
    "requries_grad": True,
    "reqires_grad": True,
    "requires_grad_": True,
    "requiresGrad": True,
    "requires_grad": False,
    "retains_grad": False,
    "requires": False,
    "no_grad": False,
    "set_requires_grad": False,
}


@pytest.mark.parametrize(("code", "is_found"), FLAGS.values(), ids=FLAGS)
def test_a_flag_of_a_tensor_or_module_is_told_from_others(program: Program, code: str, is_found: bool) -> None:
    assert len(program(HEAD + code).findings(RULE)) == is_found


@pytest.mark.parametrize(("name", "is_found"), SPELLINGS.items(), ids=SPELLINGS)
def test_a_slip_of_the_fingers_is_told_from_another_word(name: str, is_found: bool) -> None:
    assert is_misspelled(name) is is_found
