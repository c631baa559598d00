"""Frameworks that have PyTorch's names for what works otherwise."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

TRAINING = """
{imports}
def train(net, criterion, optimizer, loader):
    for inputs, labels in loader():
        loss = criterion(net(inputs), labels)
        total = loss.item()
        loss.backward()
        optimizer.step()
"""
# Somewhere in the project tensors do go to the GPU.
OTHER = "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\n"


@pytest.mark.parametrize("imports", ["import paddle", "import paddle.nn as nn", "from oneflow import nn"])
def test_a_loop_of_another_framework_trains_nothing_of_torch(imports: str, project_of: ProjectOf) -> None:
    project = project_of({"main.py": TRAINING.format(imports=imports), "other.py": OTHER})

    assert project.reported("item-in-training-loop") == []


@pytest.mark.parametrize("imports", ["import torch", "import paddle\nfrom torch import nn", "from .net import Net"])
def test_a_file_that_may_train_with_torch_is_asked(imports: str, project_of: ProjectOf) -> None:
    project = project_of({"main.py": TRAINING.format(imports=imports), "other.py": OTHER})

    assert project.reported("item-in-training-loop") == ["total = loss.item()"]


def test_a_folder_called_like_a_framework_is_not_what_is_imported(project_of: ProjectOf) -> None:
    project = project_of({"paddle/__init__.py": "", "paddle/main.py": "import paddle\nx = paddle.ones([2])\n"})

    assert project.place("paddle", "paddle/main.py").names == {"paddle"}


CHAINER = """\
    import argparse
    {imported}
    from updater import Updater
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", type=int, default=0)
    args = parser.parse_args()
    updater = Updater(device=args.gpu)
    """


@pytest.mark.parametrize(("imported", "expected"), [("import chainer", 0), ("import chainer, torch", 1), ("", 1)])
def test_what_a_file_of_another_framework_asks_for_is_no_device_of_torch(
    imported: str, expected: int, project_of: ProjectOf
) -> None:
    project = project_of({"main.py": dedent(CHAINER).format(imported=imported)})

    assert len(project.reported("hardcoded-cuda")) == expected
