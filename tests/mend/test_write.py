"""A file is written in one go, as it was in all but its text, or left alone."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from torchlint.fixing import NotWrittenError, write


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_bytes(b"old\n")
    return path


def test_the_file_holds_the_new_text_and_nothing_is_left_beside_it(script: Path) -> None:
    write(script, b"old\n", b"new\r\n")

    assert script.read_bytes() == b"new\r\n"
    assert list(script.parent.iterdir()) == [script]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_the_mode_is_kept(script: Path) -> None:
    script.chmod(0o754)

    write(script, b"old\n", b"new\n")

    assert stat.S_IMODE(script.stat().st_mode) == 0o754


def test_a_file_that_changed_meanwhile_is_left_alone(script: Path) -> None:
    with pytest.raises(NotWrittenError, match="changed"):
        write(script, b"older\n", b"new\n")

    assert script.read_bytes() == b"old\n"
    assert list(script.parent.iterdir()) == [script]


def test_a_read_only_file_is_left_alone(script: Path) -> None:
    script.chmod(0o444)

    with pytest.raises(NotWrittenError, match="read-only"):
        write(script, b"old\n", b"new\n")

    assert script.read_bytes() == b"old\n"


def test_a_file_that_is_gone_is_told(script: Path) -> None:
    script.unlink()

    with pytest.raises(NotWrittenError, match="no such file"):
        write(script, b"old\n", b"new\n")


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
def test_a_link_stays_a_link_to_the_file_that_is_written(script: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.py"
    link.symlink_to(script)

    write(link, b"old\n", b"new\n")

    assert link.is_symlink()
    assert script.read_bytes() == b"new\n"
