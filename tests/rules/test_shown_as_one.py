"""Findings that need the same change are shown as one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from torchlint.finding import Finding
from torchlint.model import Project
from torchlint.output.grouping import grouped
from torchlint.registry import builtin_rules
from torchlint.report import FileReport

LONG = "os.path.join(arguments.folder, arguments.name_of_the_checkpoint)"


def shown(folder: Path, rule: str, text: str, target: tuple[int, int] | None = None) -> Sequence[Finding]:
    """Return what is shown of a rule in a program, with the findings of each cause as one."""
    (folder / "main.py").write_text(text)
    file = Project(folder, target).open(folder / "main.py", "main.py")
    found = tuple(builtin_rules()[rule]().check(file))
    return [one for report in grouped([FileReport("main.py", found)]) for one in report.findings]


def restoring(*loads: str) -> str:
    """Return a program for a GPU that restores its model and its optimizer."""
    lines = [f"    model.load_state_dict(torch.load({load}))" for load in loads]
    head = "import os, torch\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
    return head + "def restore(model, path, arguments):\n    model.to(device)\n" + "\n".join(lines) + "\n"


def test_loads_that_restore_to_where_they_were_saved_are_one(tmp_path: Path) -> None:
    (one,) = shown(tmp_path, "load-without-map-location", restoring("path", "path + '.best'", LONG))

    assert one.message == (
        "`torch.load(path)` restores tensors to the device they were saved from, as do 2 more places in the file "
        '(lines 6, 7); pass `map_location="cpu"`'
    )
    assert [each.fix is not None for each in one.members] == [True, True, True]


def test_unsafe_loads_are_one_whether_they_say_so_or_not(tmp_path: Path) -> None:
    text = restoring("path, map_location=device", f"{LONG}, map_location='cpu', weights_only=False")

    (one,) = shown(tmp_path, "unsafe-load", text, (2, 4))

    assert "can run any code it loads, as does 1 more place in the file (line 6); pass `weights_only=True`" in (
        one.message
    )


def test_loads_with_other_cures_are_findings_of_their_own(tmp_path: Path) -> None:
    text = restoring("path", "path + '.best'") + (
        "def whole(path):\n    network = torch.load(path)\n    network.eval()\n    return network(torch.ones(4))\n"
    )

    (weights, module) = shown(tmp_path, "unsafe-load", text, (2, 4))

    assert [len(weights.related), len(module.related)] == [1, 0]
    assert weights.message.endswith("; pass `weights_only=True`")
    assert "not the module" in module.message


@pytest.mark.parametrize(("rule", "target"), [("unsafe-load", (1, 10)), ("load-without-map-location", None)])
def test_the_message_of_long_loads_is_not_too_long(rule: str, target: tuple[int, int] | None, tmp_path: Path) -> None:
    (one,) = shown(tmp_path, rule, restoring(LONG, LONG, LONG), target)

    assert (len(one.related), len(one.message) <= 160) == (2, True)


def test_loaders_that_are_given_what_has_the_same_lambda_are_one(tmp_path: Path) -> None:
    text = (
        "from torch.utils.data import DataLoader, Dataset\n"
        "class Rows(Dataset):\n    def __init__(self, rows):\n        self.rows = rows\n        self.f = lambda row: row + 1\n"
        "    def __getitem__(self, i):\n        return self.f(self.rows[i])\n"
        "class Plain(Dataset):\n    def __init__(self):\n        self.g = lambda row: row\n"
        "train = Rows([1])\ntest = Rows([2])\nplain = Plain()\n"
        "for data in (DataLoader(train, num_workers=2), DataLoader(test, num_workers=2)):\n    print(next(iter(data)))\n"
        "print(next(iter(DataLoader(plain, num_workers=2))))\n"
    )

    rows, plain = shown(tmp_path, "unpicklable-loader-argument", text)

    assert "`train` holds a lambda, which cannot be pickled, as does 1 more place with it (this line); define it " in (
        rows.message
    )
    assert (len(rows.related), plain.span.line, plain.related) == (1, 16, ())


def test_tensors_without_dimensions_that_are_indexed_are_one(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom torch.nn import functional as F\n"
        "def f(a, b):\n    x = F.mse_loss(a, b)\n    print(x.data[0])\n    return x.data[0]\n"
    )

    (one,) = shown(tmp_path, "indexed-scalar", text)

    assert "since PyTorch 1.0, as does 1 more place in the file (line 6); use `.item()`" in one.message
