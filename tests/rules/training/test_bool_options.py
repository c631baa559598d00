"""Options of the type `bool`."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.training.detectors.bool_options import bool_options
from torchlint.model import Project

HEAD = """
import argparse
import torch
from torch import nn
from torch.utils.data import DataLoader
parser = argparse.ArgumentParser()
"""
DECLARED = 'parser.add_argument("--fast", type=bool, default=True)\nargs = parser.parse_args()\n'


def found_in(tmp_path: Path, text: str, **others: str) -> list[str]:
    for name, other in others.items():
        (tmp_path / f"{name}.py").write_text(other)
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    file = Project(tmp_path).open(path, "main.py")
    return [one.name for one in bool_options(file.evaluator(), file)]


@pytest.mark.parametrize(
    "use",
    [
        "scaler = torch.amp.GradScaler('cuda', enabled=args.fast)",
        "loader = DataLoader(data, shuffle=args.fast)",
        "loader = DataLoader(data, shuffle=not args.fast)",
        "device = torch.device('cuda' if args.fast else 'cpu')",
        "fast = args.fast and torch.cuda.is_available()",
        "if args.fast:\n    model = nn.DataParallel(model)",
        "if not args.fast:\n    torch.manual_seed(0)",
        "if args.fast:\n    model.cuda()",
        "fast = args.fast\nloader = DataLoader(data, pin_memory=fast)",
        "def load(fast):\n    return DataLoader(data, pin_memory=fast)\nload(args.fast)",
        "def load(args):\n    return DataLoader(data, pin_memory=args.fast)\nload(args)",
        "device = torch.device('cuda' if args.fast is True else 'cpu')",
        "device = 'cuda' if torch.cuda.is_available() and args.fast == True else 'cpu'",
        "x = torch.ones(3)\nif args.fast:\n    x = x - x.mean()",
        "torch.backends.cudnn.benchmark = args.fast\nif args.fast: torch.compile(model)",
    ],
)
def test_what_decides_something_of_pytorch_is_found(tmp_path: Path, use: str) -> None:
    assert found_in(tmp_path, f"{DECLARED}{use}\n") == ["--fast"]


@pytest.mark.parametrize(
    "use",
    [
        "print(args.fast)",
        "if args.fast:\n    print('fast')",
        "name = 'fast' if args.fast else 'slow'",
        "torch.save(str(args.fast), 'a.pt')",
        "torch.device('cuda' if args.fast == other else 'cpu')",
        "x = load()\nif args.fast:\n    x = x - x.mean()",
        "torch.device('cuda')",
        "other.fast = 1\nDataLoader(data, pin_memory=other.fast)",
    ],
)
def test_what_decides_nothing_of_pytorch_is_not(tmp_path: Path, use: str) -> None:
    assert found_in(tmp_path, f"{DECLARED}{use}\n") == []


@pytest.mark.parametrize(
    "declared",
    [
        'parser.add_argument("--fast", action="store_true")',
        'parser.add_argument("--fast", type=int)',
        'parser.add_argument("--fast", type=bool, choices=[True])',
        'bool = str\nparser.add_argument("--fast", type=bool)',
        'from tools import bool\nparser.add_argument("--fast", type=bool)',
        'parser.add_argument("--fast", type=lambda text: bool(int(text)))',
    ],
)
def test_another_type_is_not_found(tmp_path: Path, declared: str) -> None:
    assert found_in(tmp_path, f"{declared}\nargs = parser.parse_args()\nDataLoader(data, shuffle=args.fast)\n") == []


def test_another_file_may_read_the_option(tmp_path: Path) -> None:
    text = 'def options():\n    parser.add_argument("--fast", type=bool)\n    return parser.parse_args()\n'
    train = "import torch\nfrom main import options\nargs = options()\ntorch.manual_seed(args.fast)\n"

    assert found_in(tmp_path, text, train=train) == ["--fast"]


_OWN = (
    "import argparse, torch\nparser = argparse.ArgumentParser()\n" + DECLARED + "if args.fast: torch.manual_seed(0)\n"
)


@pytest.mark.parametrize(
    ("use", "others"),
    [
        ("", {"other": _OWN}),
        ("import other", {"other": _OWN}),
        ("", {"other": "import torch\ndef run(args):\n    if args.fast: torch.manual_seed(0)\n"}),
    ],
)
def test_what_another_program_parses_is_another_option(tmp_path: Path, use: str, others: dict[str, str]) -> None:
    assert found_in(tmp_path, f"{DECLARED}{use}\n", **others) == []


def test_what_a_file_of_the_same_program_is_passed_is_the_option(tmp_path: Path) -> None:
    other = "import torch\ndef run(args):\n    if args.fast: torch.manual_seed(0)\n"

    assert found_in(tmp_path, f"from other import run\n{DECLARED}run(args)\n", other=other) == ["--fast"]
