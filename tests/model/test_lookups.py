"""What is looked up by a name among those of a file or package."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Built, Imported, Instance, Unknown

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]

LOOKUPS = ["getattr(models, {})", "models.__dict__[{}]", "vars(models)[{}]"]


@pytest.mark.parametrize("lookup", LOOKUPS)
@pytest.mark.parametrize("key", ["name", "args.arch", "'resnet18'"])
def test_whatever_is_picked_from_torchvision_makes_a_module(program: Program, lookup: str, key: str) -> None:
    text = lookup.format(key) + "(weights=None)"
    code = "parser.add_argument('--arch', default='resnet50')\n"

    project = program(f"import torchvision.models as models\n{code}def build(name, args):\n    use({text})\n")

    assert project.values(text) == [Built("torch.nn.Module")]


@pytest.mark.parametrize("package", ["torch", "torch.nn", "torch.optim", "toolbox"])
def test_of_other_packages_nobody_knows_what_is_picked(program: Program, package: str) -> None:
    project = program(f"import {package}\ndef build(name):\n    use(getattr({package}, name)())\n")

    assert project.values(f"getattr({package}, name)()") == [Unknown()]


def test_a_default_is_what_is_picked(program: Program) -> None:
    code = "import torch\nparser.add_argument('--kind', default='SGD')\ndef build(args):\n"

    project = program(f"{code}    use(getattr(torch.optim, args.kind))\n")

    assert project.values("getattr(torch.optim, args.kind)") == [Imported("torch.optim.SGD")]


OWN = """
    from torch import nn

    class Small(nn.Module):
        pass

    class Large(nn.Module):
        pass
    """


@pytest.mark.parametrize("lookup", LOOKUPS)
@pytest.mark.parametrize(("default", "expected"), [("Small", ["Small"]), ("Huge", [])])
def test_a_file_of_the_project_has_what_it_defines(
    project_of: ProjectOf, lookup: str, default: str, expected: list[str]
) -> None:
    text = lookup.format("args.arch") + "()"
    code = f"import models\nparser.add_argument('--arch', default='{default}')\nuse({text})\n"

    values = project_of({"models.py": OWN, "main.py": code}).values(text)

    assert [one.kind.scope.name for one in values if isinstance(one, Instance)] == expected


def test_a_file_looks_among_its_own_names(program: Program) -> None:
    code = "from torch import nn\nclass Small(nn.Module):\n    pass\ndef build():\n    use(globals()['Small']())\n"

    (value,) = program(code).values("globals()['Small']()")

    assert isinstance(value, Instance)


@pytest.mark.parametrize(("package", "reported"), [("torchvision.models", ["model(x)"]), ("toolbox", [])])
def test_a_batch_is_where_no_module_is_that_was_picked_and_moved(
    program: Program, package: str, reported: list[str]
) -> None:
    code = f"""
        import torch
        import {package} as models
        from torch.utils.data import DataLoader

        def train(args, data):
            model = models.__dict__[args.arch]().cuda()
            for x, y in DataLoader(data):
                model(x)
        """

    assert program(code).reported("unmoved-batch") == reported
