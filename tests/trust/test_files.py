"""What lies in a project is read where it is a file with an end, and said to be none otherwise."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.trust.running import torchlint
from torchlint.adoption.baseline_file import read_baseline
from torchlint.errors import UsageError
from torchlint.files.regular import MOST, MOST_OF_SETTINGS, NotRegularError, TooLargeError, read_regular

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes in folders")

_CODE = 'import torch\nx = torch.ones(3, device="cuda")\n'
_SETTINGS = [".gitignore", "pyproject.toml", "torchlint.toml", ".torchlint.toml"]
_REQUIREMENTS = ["requirements.txt", "requirements-dev.txt", "setup.cfg", "setup.py", "environment.yml"]


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _terminal(path: Path) -> None:
    path.symlink_to("/dev/tty")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _linked_pipe(path: Path) -> None:
    os.mkfifo(path.parent / "pipe")
    path.symlink_to("pipe")


def _endless(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 32)


_ODD = [_device, _pipe, _linked_pipe, _endless]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with a finding."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text(_CODE)
    return tmp_path


@pytest.mark.parametrize("make", _ODD)
@pytest.mark.parametrize("name", [*_SETTINGS, *_REQUIREMENTS])
def test_what_has_no_end_is_named_in_a_line(project: Path, name: str, make: Callable[[Path], None]) -> None:
    make(project / name)

    done = torchlint("--no-cache", "-q", ".", cwd=project)

    what = "larger than 4 MiB" if make is _endless else "not a regular file"
    lines = [line for line in done.stderr.splitlines() if "cannot" in line]
    if name == "setup.py" and make is _endless:
        # It is linted, too.
        lines = lines[:1]
    assert lines == [f"error: cannot read {name}: {what}"]
    assert done.returncode == 2


@pytest.mark.parametrize("make", [_device, _pipe])
@pytest.mark.parametrize("name", ["b.py", "b.ipynb"])
def test_a_source_that_is_no_file_is_nothing_to_lint(project: Path, name: str, make: Callable[[Path], None]) -> None:
    make(project / name)

    below = torchlint("--no-cache", "-q", "--output-format", "concise", ".", cwd=project)
    named = torchlint("--no-cache", "-q", name, cwd=project)

    assert below.returncode == 1
    assert f"error: {name} is not a file" in named.stderr
    assert named.returncode == 2


@pytest.mark.parametrize("name", ["b.py", "b.ipynb"])
def test_a_source_without_an_end_is_a_finding(project: Path, name: str) -> None:
    _endless(project / name)

    done = torchlint("--no-cache", "-q", "--output-format", "concise", ".", cwd=project)

    assert f"{name}:1:1: unreadable-source cannot be read: larger than 100 MiB" in done.stdout


def test_an_import_of_what_is_no_file_is_not_followed(project: Path) -> None:
    (project / "a.py").write_text(f"import b\nfrom c import *\n{_CODE}")
    _device(project / "b.py")
    _pipe(project / "c.py")

    done = torchlint("--no-cache", "-q", "--output-format", "concise", "a.py", cwd=project)

    assert done.stdout.startswith("a.py:4:26: hardcoded-cuda")


@pytest.mark.parametrize("make", _ODD[:2])
def test_a_baseline_that_is_no_file_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "baseline.json")

    with pytest.raises(UsageError, match=r"cannot read the baseline .*: not a regular file"):
        read_baseline(tmp_path / "baseline.json")


@pytest.mark.parametrize("make", _ODD)
def test_a_cache_without_an_end_is_none(project: Path, make: Callable[[Path], None]) -> None:
    first = torchlint("-q", ".", cwd=project)
    (kept,) = (project / ".torchlint_cache").glob("*.cache")
    kept.unlink()
    make(kept)

    second = torchlint("-q", ".", cwd=project)

    assert (second.stdout, second.returncode) == (first.stdout, 1)


@pytest.mark.parametrize("make", [_device, _terminal, _pipe, _linked_pipe])
def test_what_is_no_file_is_never_opened(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "odd")

    with pytest.raises((NotRegularError, FileNotFoundError)):
        read_regular(tmp_path / "odd")


def test_a_socket_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("odd")

        with pytest.raises(NotRegularError):
            read_regular(tmp_path / "odd")


def test_a_file_is_read_up_to_its_largest_size_and_no_further(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 70_000)

    assert read_regular(file, 70_000) == b"x" * 70_000
    with pytest.raises(TooLargeError):
        read_regular(file, 69_999)
    assert MOST_OF_SETTINGS < MOST


def test_a_file_that_claims_to_be_empty_is_read_to_its_end() -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("no such files here")

    assert b"Name:" in read_regular("/proc/self/status")


def test_what_is_linked_to_nothing_at_all_is_empty(tmp_path: Path) -> None:
    (tmp_path / "empty").symlink_to(os.devnull)

    assert read_regular(tmp_path / "empty") == b""


def test_a_folder_and_what_is_not_there_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "nothing")
