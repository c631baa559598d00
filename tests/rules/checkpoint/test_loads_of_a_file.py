"""The loads of a file that need the same change are shown as one finding."""

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
    assert "instead of the module" in module.message


@pytest.mark.parametrize(("rule", "target"), [("unsafe-load", (1, 10)), ("load-without-map-location", None)])
def test_the_message_of_long_loads_is_not_too_long(rule: str, target: tuple[int, int] | None, tmp_path: Path) -> None:
    (one,) = shown(tmp_path, rule, restoring(LONG, LONG, LONG), target)

    assert (len(one.related), len(one.message) <= 160) == (2, True)
