"""`torchlint server` as a command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.server.editor import SERVER

_CHECKOUT = Path(__file__).parents[2]
_WITHOUT_PYGLS = 'import sys; sys.modules["pygls"] = None; from torchlint.cli import run; sys.exit(run(["server"]))'


def ran(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command without a writer to its stdin."""
    environment = os.environ | {"PYTHONPATH": str(_CHECKOUT)}
    return subprocess.run(
        command, input="", capture_output=True, text=True, env=environment, timeout=60, check=False
    )  # fmt: skip


def test_without_pygls_it_says_what_to_install() -> None:
    done = ran(sys.executable, "-c", _WITHOUT_PYGLS)

    wanted = 'error: `torchlint server` needs pygls: pip install "torchlint[lsp]"\n'
    assert (done.returncode, done.stdout, done.stderr) == (2, "", wanted)


def test_it_ends_when_the_editor_is_gone() -> None:
    done = ran(*SERVER)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_linting_does_not_wait_for_its_library() -> None:
    program = "import sys, torchlint.cli.check; sys.exit('pygls' in sys.modules or 'lsprotocol' in sys.modules)"

    assert ran(sys.executable, "-c", program).returncode == 0
