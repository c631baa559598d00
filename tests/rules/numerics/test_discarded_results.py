"""Operations whose result is thrown away."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.numerics.detectors.discarded_results import discarded_results
from torchlint.model import Project

HEAD = (
    "import time\nimport torch\nimport torch.nn.functional as F\n"
    "def use(*things):\n    print(things)\n"
    "x = torch.ones(2)\n"
)


def discarded(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(HEAD + code)
    file = Project(folder).open(path, path.name)
    return [one.call.text for one in discarded_results(file.evaluator(), file)]


@pytest.mark.parametrize("operation", ["x.clamp(0)", "x.masked_fill(x > 0, 0)", "torch.sigmoid(x)", "F.relu(x)"])
def test_a_new_tensor_is_thrown_away(tmp_path: Path, operation: str) -> None:
    assert discarded(tmp_path, f"{operation}\nuse(x)\n") == [operation]


@pytest.mark.parametrize(
    "operation",
    [
        "x.clamp_(0)",
        "y = x.clamp(0)",
        "use(x.clamp(0))",
        "torch.sigmoid(x, out=y)",
        "F.relu(x, inplace=True)",
        "F.relu(x, True)",
        "F.dropout(x, 0.5, True, True)",
        "x.sum()",
        "torch.mm(x, x)",
    ],
)
def test_what_changes_its_tensor_or_is_taken_is_left_alone(tmp_path: Path, operation: str) -> None:
    assert discarded(tmp_path, f"y = torch.ones(2)\n{operation}\nuse(x, y)\n") == []


def test_what_nobody_reads_again_is_left_alone(tmp_path: Path) -> None:
    assert discarded(tmp_path, "x.clamp(0)\n") == []


@pytest.mark.parametrize(
    "code",
    [
        "def tidied(thing):\n    thing.squeeze(0)\n    return thing\n",
        "import numpy as np\na = np.ones((1, 2))\na.squeeze(0)\nuse(a)\n",
        "names = ['b', 'a']\nnames.sort()\nuse(names)\n",
        "class Canvas:\n    def flip(self, dim):\n        self.dim = dim\nc = Canvas()\nc.flip(0)\nuse(c)\n",
    ],
)
def test_what_may_be_no_tensor_is_left_alone(tmp_path: Path, code: str) -> None:
    assert discarded(tmp_path, code) == []


@pytest.mark.parametrize(
    "code",
    [
        "for _ in range(9):\n    torch.sigmoid(x)\n",
        "started = time.time()\ntorch.sigmoid(x)\n",
        "torch.sigmoid(x)\ntorch.cuda.synchronize()\n",
        "started = time.time()\nfor _ in range(9):\n    y = 1\n    torch.sigmoid(x)\n    y = 2\nuse(time.time())\n",
        "with torch.profiler.profile():\n    torch.sigmoid(x)\n",
        "try:\n    torch.sigmoid(x)\nexcept RuntimeError:\n    pass\n",
    ],
)
def test_what_is_run_for_its_time_or_to_see_whether_it_can_be_is_left_alone(tmp_path: Path, code: str) -> None:
    assert discarded(tmp_path, f"{code}use(x)\n") == []


def test_a_mode_is_no_watcher(tmp_path: Path) -> None:
    assert discarded(tmp_path, "with torch.no_grad():\n    x.clamp(0)\nuse(x)\n") == ["x.clamp(0)"]


def test_each_tensor_of_a_loop_is_to_be_changed(tmp_path: Path) -> None:
    assert discarded(tmp_path, "for p in torch.nn.Linear(2, 2).parameters():\n    p.clamp(0)\n") == ["p.clamp(0)"]


@pytest.mark.parametrize(
    ("above", "is_found"),
    [
        ("x + 1", False),
        ("x >= 2", False),
        ("torch.min(x)", False),
        ("x.relu_()", True),
        ("torch.manual_seed(0)", True),
        ("use(x)", True),
    ],
)
def test_a_list_of_expressions_shows_their_values(tmp_path: Path, above: str, is_found: bool) -> None:
    assert bool(discarded(tmp_path, f"{above}\ntorch.sqrt(x)\nuse(x)\n")) == is_found
