"""A process of its own: pipes that break, streams that are closed, interrupts, encodings, terminals."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

_CHECKOUT = Path(__file__).parents[2]
_PLAIN = {"GITHUB_ACTIONS": "", "NO_COLOR": "", "FORCE_COLOR": "", "PYTHONPATH": str(_CHECKOUT), "TERM": "xterm"}
_PATIENCE = 60
_COMMAND = f"{sys.executable} -m torchlint"
_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asks a POSIX shell")


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Return a folder with more findings than a pipe takes unread."""
    for number in range(50):
        (tmp_path / f"a{number}.py").write_text("import torch\n" + 'x = torch.ones(3, device="cuda")\n' * 20)
    return tmp_path


def slow_files(folder: Path, files: int) -> None:
    """Write files that take a while to lint."""
    body = "".join(f'y{line} = torch.ones({line}, device="cuda")\n' for line in range(400))
    for number in range(files):
        (folder / f"a{number}.py").write_text(f"import torch\n{body}")


def shell(line: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell, with `torchlint` for ours; what any command of a pipe says is its exit code."""
    script = f"set -o pipefail; {line.replace('torchlint', _COMMAND)}"
    return subprocess.run(
        ["bash", "-c", script],
        cwd=cwd,
        env=os.environ | _PLAIN | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_reader_that_has_seen_enough_ends_the_run_quietly(many: Path) -> None:
    ran = shell("torchlint --isolated | head -1", many)

    assert ran.stdout.startswith("warning[hardcoded-cuda]")
    assert ran.stderr == ""
    assert ran.returncode == 141


def test_a_reader_that_is_gone_before_the_first_word_is_no_error(many: Path) -> None:
    ran = shell("torchlint rules | true; torchlint explain kept-graph | true", many)

    assert ran.stderr == ""


def test_a_closed_stdout_is_told(many: Path) -> None:
    ran = shell("torchlint --isolated >&-", many)

    assert (ran.returncode, ran.stderr) == (2, "error: cannot write to stdout: it is closed\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told(many: Path) -> None:
    ran = shell("torchlint --isolated >/dev/full", many)

    assert (ran.returncode, ran.stderr) == (2, "error: cannot write to stdout: no space left on device\n")


def test_a_closed_stderr_is_no_error(many: Path) -> None:
    ran = shell("torchlint nowhere.py 2>&-; echo $?", many)

    assert ran.stdout == "2\n"


def test_what_stdout_cannot_spell_is_a_question_mark(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        'import torch\nx = torch.ones(3, device="cuda")  # \N{HOT BEVERAGE} \N{PARTY POPPER}\n'
    )

    ran = shell("torchlint --isolated a.py", tmp_path, PYTHONIOENCODING="ascii", LC_ALL="C")

    assert (ran.returncode, ran.stderr) == (1, "")
    assert 'device="cuda")  # ? ?\n' in ran.stdout


def test_a_file_name_that_is_no_text_is_written_somehow(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9\x1b[31m.py")
    (tmp_path / name).write_text(_CUDA)

    ran = shell("torchlint --isolated . nowhere$'\\x1b'.py", tmp_path)

    assert ran.returncode == 2
    assert "\x1b" not in ran.stdout + ran.stderr
    assert "caf" in ran.stdout


def test_the_output_hangs_on_no_hash_and_no_number_of_workers(tmp_path: Path) -> None:
    for name in ("b", "a"):
        shutil.copytree(_CHECKOUT / "fixtures" / "demo-project", tmp_path / name)

    outputs = {
        shell(f"torchlint -q --jobs {jobs} .", tmp_path, PYTHONHASHSEED=seed).stdout
        for jobs, seed in (("1", "0"), ("1", "1"), ("2", "2"), ("3", "3"))
    }

    (output,) = outputs
    assert output.count("\n  --> a/") == output.count("\n  --> b/") == 5
    assert output.rindex("\n  --> a/") < output.index("\n  --> b/")


class Terminal:
    """A torchlint whose stdout and stderr are a terminal, in a group of its own as a shell starts it."""

    def __init__(self, *arguments: str, cwd: Path, **environment: str) -> None:
        self._screen, end = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "torchlint", *arguments],
            cwd=cwd,
            env=os.environ | _PLAIN | environment,
            stdin=subprocess.PIPE,
            stdout=end,
            stderr=end,
            start_new_session=True,
        )
        os.close(end)

    def pieces(self) -> Iterator[str]:
        """Yield what comes to be shown, until the last process has closed its end."""
        # That is an error to Linux, and an empty piece to others.
        with suppress(OSError):
            while piece := self._piece():
                yield piece.decode()

    def _piece(self) -> bytes:
        ready, _, _ = select.select([self._screen], [], [], _PATIENCE)
        if not ready:
            os.killpg(self.process.pid, signal.SIGKILL)
        assert ready, "nothing more is shown, and nothing ends"
        return os.read(self._screen, 4096)

    def rest(self) -> str:
        """Return all that is still to be shown."""
        shown = "".join(self.pieces())
        self.process.wait(timeout=60)
        os.close(self._screen)
        return shown

    def interrupt(self) -> None:
        """Press Ctrl-C, on the process and on those that it started."""
        os.killpg(self.process.pid, signal.SIGINT)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_is_one_line_and_leaves_no_worker(tmp_path: Path, jobs: str) -> None:
    slow_files(tmp_path, 60)
    terminal = Terminal("--isolated", "--jobs", jobs, ".", cwd=tmp_path)
    assert any(" of 60 files" in piece for piece in terminal.pieces())

    terminal.interrupt()

    # What is shown may be one more count.
    assert terminal.rest().rpartition("\x1b[K")[2] == "interrupted\r\n"
    assert terminal.process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.killpg(terminal.process.pid, 0)


def test_an_interrupt_while_stdin_is_read_is_one_line(tmp_path: Path) -> None:
    terminal = Terminal("-", cwd=tmp_path)
    assert terminal.process.stdin is not None
    # More than a pipe holds: all of it can be written when somebody reads.
    terminal.process.stdin.write(b"# \n" * 100_000)
    terminal.process.stdin.flush()
    # Between two reads nobody sees a signal before the next one ends.
    time.sleep(1)

    terminal.interrupt()

    assert terminal.rest() == "interrupted\r\n"
    assert terminal.process.returncode == 130


def on_a_terminal(*arguments: str, cwd: Path, **environment: str) -> str:
    """Return what torchlint shows on a terminal."""
    terminal = Terminal(*arguments, cwd=cwd, **environment)
    return terminal.rest()


def test_colours_are_for_terminals_and_for_who_asks(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(_CUDA)

    def is_coloured(*arguments: str, **environment: str) -> bool:
        return "\x1b[" in on_a_terminal("--isolated", *arguments, "a.py", cwd=tmp_path, **environment)

    assert is_coloured()
    assert not is_coloured("--no-color")
    assert not is_coloured("--color", "never")
    assert not is_coloured("--color=auto", NO_COLOR="1")
    assert is_coloured("--color", "always", NO_COLOR="1")
    assert not is_coloured(NO_COLOR="1")
    assert not is_coloured(TERM="dumb")
    assert is_coloured("--color", NO_COLOR="1")
    assert "\x1b[" not in shell("torchlint --isolated a.py", tmp_path).stdout
    assert "\x1b[" in shell("torchlint --isolated a.py", tmp_path, FORCE_COLOR="1").stdout
    assert "\x1b[" not in shell("torchlint --isolated a.py", tmp_path, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_who_waits_on_a_terminal_sees_how_far_it_is(tmp_path: Path) -> None:
    slow_files(tmp_path, 12)

    shown = on_a_terminal("--isolated", "--jobs", "1", "--statistics", ".", cwd=tmp_path)
    quiet = on_a_terminal("--isolated", "--jobs", "1", "--statistics", "-q", ".", cwd=tmp_path)

    assert " of 12 files\r\x1b[K" in shown
    assert " of 12 files\r" not in quiet
