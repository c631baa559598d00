"""Options that are read and not declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.missing_options import missing_options
from torchlint.model import Project

HEAD = """
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
"""
READ = "args = parser.parse_args()\nprint(torch.ones(args.width))\n"


def found_in(tmp_path: Path, text: str, **others: str) -> list[str]:
    for name, other in others.items():
        (tmp_path / f"{name}.py").write_text(other)
    path = tmp_path / "run.py"
    path.write_text(text)
    file = Project(tmp_path).open(path, "run.py")
    return [one.read.code for one in missing_options(file.evaluator(), file)]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + READ,
        HEAD + READ + "print(args.width)\n",
        HEAD + "print(models.__dict__['net'])\n" + READ,
        HEAD + "parser.add_argument('--depth', dest='height')\n" + READ,
        HEAD + "group = parser.add_argument_group('x')\ngroup.add_argument('--depth')\n" + READ,
        HEAD + "def add(p):\n    p.add_argument('--depth')\nadd(parser)\n" + READ,
        HEAD + "args, rest = parser.parse_known_args()\nprint(torch.ones(args.width))\n",
        HEAD + "def use(args):\n    return torch.ones(args.width)\nuse(parser.parse_args())\n",
    ],
)
def test_an_option_that_nothing_declares_is_found_once(tmp_path: Path, text: str) -> None:
    assert found_in(tmp_path, text) == ["args.width"]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "parser.add_argument('-w', '--width')\n" + READ,
        HEAD + "parser.add_argument('width')\n" + READ,
        HEAD + "parser.set_defaults(width=2)\n" + READ,
        HEAD + "parser.add_argument('--' + name)\n" + READ,
        HEAD + "for name in names:\n    parser.add_argument(name)\n" + READ,
        HEAD + "library.add_arguments(parser)\n" + READ,
        HEAD + READ.replace("parse_args()", "parse_args(namespace=given)"),
        HEAD + "args = parser.parse_args()\nargs.width = 2\nprint(args.width)\n",
        HEAD + "args = parser.parse_args()\nsetattr(args, name, 2)\nprint(args.width)\n",
        HEAD + "args = parser.parse_args()\nvars(args).update(more)\nprint(args.width)\n",
        HEAD + "args = parser.parse_args()\nargs.__dict__[name] = 2\nprint(args.width)\n",
        HEAD + "args = parser.parse_args()\nif hasattr(args, 'width'):\n    print(args.width)\n",
        HEAD + "try:\n    print(parser.parse_args().width)\nexcept AttributeError:\n    pass\n",
        HEAD + "options = vars(parser.parse_args())\nprint(options.items())\n",
        "def use(args):\n    return torch.ones(args.width)\n",
    ],
)
def test_an_option_that_may_be_there_is_not(tmp_path: Path, text: str) -> None:
    assert found_in(tmp_path, text) == []


OTHER = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--width')\n"


def test_another_script_declares_its_own_options(tmp_path: Path) -> None:
    assert found_in(tmp_path, HEAD + READ, train=OTHER) == ["args.width"]


def test_a_file_of_the_program_declares_options_for_it(tmp_path: Path) -> None:
    assert found_in(tmp_path, HEAD + "import train\n" + READ, train=OTHER) == []


SHARED = """
class Trainer:
    def __init__(self, args):
        self.args = args
    def tune(self):
        return self.args.width
"""
OWN = "import argparse\nfrom shared import Trainer\nparser = argparse.ArgumentParser()\nparser.add_argument({})\n"
USED = "trainer = Trainer(parser.parse_args())\n"


@pytest.mark.parametrize(("declared", "expected"), [("'--width'", 0), ("'--height'", 1)])
def test_what_scripts_share_may_read_an_option_of_one_of_them(tmp_path: Path, declared: str, expected: int) -> None:
    (tmp_path / "evaluate.py").write_text("import torch\n" + OWN.format("'--lr'") + USED)
    (tmp_path / "train.py").write_text("import torch\n" + OWN.format(declared) + USED + "trainer.tune()\n")
    (tmp_path / "shared.py").write_text(SHARED)
    file = Project(tmp_path).open(tmp_path / "shared.py", "shared.py")

    assert len(list(missing_options(file.evaluator(), file))) == expected
