"""The text of stdin in place of a file's, as editors lint what is not saved yet."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copytree

import pytest

from tests.cli.conftest import Ran, Stdin, Torchlint

_DEMO = Path(__file__).parents[2] / "fixtures" / "demo-project"
_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'
_FOUND = (
    'hardcoded-cuda `"cuda"` raises on a machine without CUDA; '
    "choose the device once, with `torch.cuda.is_available()`\n"
)


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(text.encode()))


def test_text_without_a_name_is_called_by_the_word_for_it(
    torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, _CUDA)

    assert torchlint("-q", "--output-format", "concise", "-") == Ran(1, f"-:3:26: {_FOUND}", "")


def test_text_with_a_name_is_what_the_file_will_be(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    copytree(_DEMO, here / "demo")
    saved = (here / "demo" / "checkpoint.py").read_text()
    typed(monkeypatch, f"# One line more.\n{saved}")

    ran = torchlint("-q", "--output-format", "concise", "--stdin-filename", "demo/checkpoint.py", "-")

    place = "demo/checkpoint.py:10:18: wrapped-state-dict"
    assert ran.out.startswith(place)
    assert ran.out.count("\n") == 1


def test_who_names_the_text_and_no_path_means_stdin(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "other.py").write_text('import torch\ntorch.ones(2, device="cuda")\n')
    typed(monkeypatch, "import torch\n\n\ntorch.ones(2, device='cuda')\n")

    ran = torchlint("-q", "--output-format", "concise", "--stdin-filename", "new.py")

    assert [line.split(" ")[0] for line in ran.out.splitlines()] == ["new.py:4:22:"]


def test_the_name_decides_on_the_configuration(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a").mkdir()
    (here / "a" / "torchlint.toml").write_text('exclude = ["made.py"]\n[per-file-ignores]\n"b.py" = ["device"]\n')

    typed(monkeypatch, _CUDA)
    assert torchlint("--stdin-filename", "a/a.py", "-").code == 1
    typed(monkeypatch, _CUDA)
    assert torchlint("--stdin-filename", "a/b.py", "-").code == 0
    typed(monkeypatch, _CUDA)
    assert torchlint("--stdin-filename", "a/made.py", "-").code == 1
    typed(monkeypatch, _CUDA)
    assert torchlint("--stdin-filename", "a/made.py", "--force-exclude", "-") == Ran(0, "", "")


def test_text_that_cannot_be_parsed_is_a_finding(torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "x = (1,\n")

    ran = torchlint("-q", "--output-format", "concise", "-")

    assert ran == Ran(1, "-:1:5: unreadable-source '(' was never closed\n", "")


def test_a_closed_stdin_is_told(torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    assert torchlint("-") == Ran(2, "", "error: cannot read stdin: it is closed\n")
