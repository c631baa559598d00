"""What a class that parses options puts into them of its own object."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent, indent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import WITHOUT_CUDA

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

OPTIONS = """\
import argparse

class BaseOptions:
    def __init__(self):
        self.parser = argparse.ArgumentParser()

    def initialize(self):
        self.parser.add_argument("--name", default="net")

{methods}

class TrainOptions(BaseOptions):
    def initialize(self):
        BaseOptions.initialize(self)
        self.is_train = True

class TestOptions(BaseOptions):
    def initialize(self):
        BaseOptions.initialize(self)
        self.is_train = False
"""
IN_ONE = """
def parse(self):
    self.initialize()
    self.opt = self.parser.parse_args()
    self.opt.is_train = self.is_train
    return self.opt
"""
IN_TWO = """
def gather(self):
    self.initialize()
    return self.parser.parse_args()

def parse(self):
    opt = self.gather()
    opt.is_train = self.is_train
    return opt
"""
IN_A_BRANCH = """
def parse(self):
    self.initialize()
    opt = self.parser.parse_args()
    if opt.name:
        opt.is_train = self.is_train
    return opt
"""
MODELS = "def create(opt):\n    return opt.is_train\n"
MAIN = "from models import create\nfrom options import {kind}\nopt = {kind}().parse()\n{more}create(opt)\n"


def is_train(project_of: ProjectOf, methods: str, kind: str, more: str = "") -> list[object]:
    options = OPTIONS.format(methods=indent(dedent(methods), "    "))
    files = {"options.py": options, "models.py": MODELS, "main.py": MAIN.format(kind=kind, more=more)}
    return project_of(files).literals("create(opt)")


@pytest.mark.parametrize("methods", [IN_ONE, IN_TWO], ids=["in one method", "in two"])
@pytest.mark.parametrize(("kind", "expected"), [("TrainOptions", True), ("TestOptions", False)])
def test_each_program_finds_what_its_own_class_says(
    project_of: ProjectOf, methods: str, kind: str, *, expected: bool
) -> None:
    assert is_train(project_of, methods, kind) == [expected]


def test_what_is_put_there_under_a_test_is_open(project_of: ProjectOf) -> None:
    assert is_train(project_of, IN_A_BRANCH, "TestOptions") == ["Unknown"]


def test_what_another_file_puts_there_too_is_open(project_of: ProjectOf) -> None:
    assert "Unknown" in is_train(project_of, IN_ONE, "TestOptions", "opt.is_train = read()\n")


PARSING_AGAIN = """\
def parse(self):
    self.initialize()
    self.parser.add_argument("--gpus", default="2, 3")
    opt = self.parser.parse_args()
    opt.gpus = [int(gpu) for gpu in opt.gpus.split(",")]
    return opt
"""
READING = "from options import TrainOptions\nopt = TrainOptions().parse()\nuse(opt.gpus[0] >= 0)\n"


def test_what_is_put_there_may_be_made_of_what_was_there_before(project_of: ProjectOf) -> None:
    options = OPTIONS.format(methods=indent(PARSING_AGAIN, "    "))
    project = project_of({"options.py": options, "main.py": READING})

    assert project.literals("opt.gpus[0] >= 0", world=WITHOUT_CUDA) == [True]


WRAPPING = """\
import torch
from torch import nn

class Net(nn.Module):
    def infer(self, x):
        return x

def create(opt):
    net = Net()
    if opt.is_train and torch.cuda.device_count() > 1:
        net = nn.DataParallel(net)
    return net
"""


@pytest.mark.parametrize(("kind", "found"), [("TrainOptions", ["net.infer(1)"]), ("TestOptions", [])])
def test_a_program_for_tests_wraps_nothing(project_of: ProjectOf, kind: str, found: list[str]) -> None:
    options = OPTIONS.format(methods=indent(dedent(IN_ONE), "    "))
    main = MAIN.format(kind=kind, more="net = ") + "net.infer(1)\n"
    project = project_of({"options.py": options, "models.py": WRAPPING, "main.py": main})

    assert project.reported("wrapper-attribute") == found
