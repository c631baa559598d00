"""`--watch` as its user meets it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import pytest

from tests.cli.conftest import Torchlint
from torchlint.cli.watching import NO_WATCHFILES

_CHECKOUT = Path(__file__).parents[2]
_PATIENCE = 60
_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'
_COMMAND = [sys.executable, "-m", "torchlint", "--output-format", "concise", "--watch"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")


class Watching:
    """A process that watches a folder, and what it says, line by line."""

    def __init__(self, folder: Path) -> None:
        environment = os.environ | {"PYTHONPATH": str(_CHECKOUT), "GITHUB_ACTIONS": ""}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [*_COMMAND, str(folder)], cwd=folder, env=environment, stdout=pipe, stderr=subprocess.STDOUT, text=True
        )
        self._lines: Queue[str] = Queue()
        Thread(target=self._read, daemon=True).start()

    def until(self, end: str, change: Callable[[], object] = lambda: None) -> list[str]:
        """Return what it says up to the line that begins so; until then, make a change again and again."""
        lines: list[str] = []
        for _ in range(_PATIENCE):
            change()
            with suppress(Empty):
                while not lines or not lines[-1].startswith(end):
                    lines.append(self._lines.get(timeout=1))
                return lines
        raise TimeoutError(lines)

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line)


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    """Return what watches a project with one file."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "train.py").write_text(_CUDA)
    watching = Watching(tmp_path)
    yield watching
    watching.process.kill()
    watching.process.wait()


def test_it_lints_again_with_every_change_and_ends_with_an_interrupt(watching: Watching, tmp_path: Path) -> None:
    first = watching.until("[-]")
    # Nobody knows from outside when it has begun to watch.
    clean = watching.until("All checks passed", lambda: (tmp_path / "train.py").write_text("import torch\n"))
    broken = watching.until("1 mistake", lambda: (tmp_path / "torchlint.toml").write_text("selec = []\n"))
    watching.process.send_signal(signal.SIGINT)

    assert first[0].startswith("train.py:3:26: hardcoded-cuda ")
    assert len(clean) == 1
    assert any("unknown key `selec`" in line for line in broken)
    assert watching.process.wait(timeout=_PATIENCE) == 130
    assert watching.until("interrupted")[-1] == "interrupted\n"


def test_without_watchfiles_it_says_what_to_install(tmp_path: Path) -> None:
    program = 'import sys; sys.modules["watchfiles"] = None; from torchlint.cli import run; sys.exit(run(["--watch"]))'
    environment = os.environ | {"PYTHONPATH": str(_CHECKOUT)}

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {NO_WATCHFILES}\n")


def test_stdin_is_not_watched(torchlint: Torchlint) -> None:
    ran = torchlint("--watch", "-")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: --watch waits for files to change, and stdin is none: without `-`\n"
