"""What `hardcoded-autocast` advises depends on the PyTorch that the project is written for."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project
from torchlint.registry import builtin_rules


@pytest.mark.parametrize(
    ("autocast", "target", "count"),
    [
        ("torch.cuda.amp.autocast()", None, 1),
        ("torch.cuda.amp.autocast()", (1, 10), 1),
        ("torch.cuda.amp.autocast()", (1, 9), 0),
        ("torch.autocast('cuda')", (1, 9), 1),
    ],
)
def test_the_old_autocast_is_left_alone_where_there_is_no_other(
    autocast: str, target: tuple[int, int] | None, count: int, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(f"import torch\ndef f(net, x):\n    with {autocast}:\n        return net(x)\n")
    file = Project(tmp_path, target).open(tmp_path / "main.py", "main.py")

    found = list(builtin_rules()["hardcoded-autocast"]().check(file))

    assert len(found) == count
