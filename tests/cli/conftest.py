"""Run the command in this process, in a folder of its own, and see what it writes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from torchlint.cli import run

_SECONDS = re.compile(r"\b\d+\.\d\d s\b")


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command came to; the seconds that it took are written as 0.00."""

    code: int
    out: str
    err: str


class Stdin:
    """A stdin that holds some bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


Torchlint: TypeAlias = Callable[..., Ran]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder to run in, on a machine whose environment asks for nothing."""
    for name in (
        "GITHUB_ACTIONS",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_WORKSPACE",
        "CI_PROJECT_DIR",
        "BUILD_SOURCESDIRECTORY",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR_FORCE",
        "TORCHLINT_CONFIG",
        "TORCHLINT_OUTPUT_FORMAT",
        "TORCHLINT_CACHE_DIR",
        "TORCHLINT_NO_CACHE",
    ):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "here"
    folder.mkdir()
    # The repository around is the scratch folder's own, whatever lies above it.
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def torchlint(here: Path, capsys: pytest.CaptureFixture[str]) -> Torchlint:
    """Return what runs a command line."""

    def ran(*arguments: str) -> Ran:
        code = run(arguments)
        written = capsys.readouterr()
        return Ran(code, _SECONDS.sub("0.00 s", written.out), written.err)

    return ran
