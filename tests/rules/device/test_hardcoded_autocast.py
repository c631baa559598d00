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
        ("torch.autocast('cuda', enabled=True)", None, 1),
        ("torch.cuda.amp.autocast(enabled=True)", None, 1),
        ("torch.autocast('cuda', enabled=x.is_cuda)", None, 0),
        ("torch.autocast('cuda', enabled=False)", None, 0),
    ],
)
def test_the_old_autocast_is_left_alone_where_there_is_no_other(
    autocast: str, target: tuple[int, int] | None, count: int, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(f"import torch\ndef f(net, x):\n    with {autocast}:\n        return net(x)\n")
    file = Project(tmp_path, target).open(tmp_path / "main.py", "main.py")

    found = list(builtin_rules()["hardcoded-autocast"]().check(file))

    assert len(found) == count


MEANT = {
    "where there is CUDA": (
        "autocast = torch.cuda.amp.autocast if torch.cuda.is_available() else nullcontext\n"
        "def f(net, x):\n    with autocast():\n        return net(x)\n",
        0,
    ),
    "where somebody wants it": (
        "autocast = torch.cuda.amp.autocast if wanted else nullcontext\n"
        "def f(net, x):\n    with autocast():\n        return net(x)\n",
        1,
    ),
    "inside of another": (
        "def f(net, x):\n    if torch.is_autocast_enabled():\n        with torch.autocast('cuda'):\n"
        "            return net(x)\n",
        0,
    ),
    "outside of another": (
        "def f(net, x):\n    if not torch.is_autocast_enabled():\n        with torch.autocast('cuda'):\n"
        "            return net(x)\n",
        1,
    ),
}


@pytest.mark.parametrize(("text", "count"), MEANT.values(), ids=MEANT)
def test_what_is_no_autocast_without_cuda_is_left_alone(text: str, count: int, tmp_path: Path) -> None:
    head = "from contextlib import nullcontext\nfrom elsewhere import wanted\nimport torch\n"
    (tmp_path / "main.py").write_text(head + text)
    file = Project(tmp_path).open(tmp_path / "main.py", "main.py")

    found = list(builtin_rules()["hardcoded-autocast"]().check(file))

    assert len(found) == count


NAMED = {
    "a device": ("torch.device('cuda' if torch.cuda.is_available() else 'cpu')", "device.type"),
    "a string": ("'cuda' if torch.cuda.is_available() else 'cpu'", "device"),
    "a string with an index": ("'cuda:0' if torch.cuda.is_available() else 'cpu'", "torch.device(device).type"),
    "what nobody knows": ("chosen()", "device.type"),
}


@pytest.mark.parametrize(("device", "advised"), NAMED.values(), ids=NAMED)
def test_the_type_is_advised_as_the_program_holds_its_device(device: str, advised: str, tmp_path: Path) -> None:
    text = f"from elsewhere import chosen\nimport torch\ndef f(net, x):\n    device = {device}\n"
    text += "    with torch.autocast('cuda'):\n        return net.to(device)(x)\n"
    (tmp_path / "main.py").write_text(text)
    file = Project(tmp_path).open(tmp_path / "main.py", "main.py")

    (found,) = builtin_rules()["hardcoded-autocast"]().check(file)

    assert found.message.endswith(f"pass the device's type, `{advised}`")
