"""Files that a trace leads to are quoted where that is safe and cheap, and never in the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torchlint.output.quotation import Quotations


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a = 1\r\nb = 2\r\n", ("a = 1", "b = 2", "")),
        (b"\xef\xbb\xbfa = 1\n", ("a = 1", "")),
        (b"# coding: latin-1\na = '\xe9'", ("# coding: latin-1", "a = 'é'")),
        (b"a = '\xe9'\n", ()),
        (b"a = 1\n\0", ()),
        (b"#" * (2 * 1024 * 1024) + b"\n", ()),
    ],
)
def test_a_file_is_read_as_python_would(tmp_path: Path, data: bytes, expected: tuple[str, ...]) -> None:
    (tmp_path / "a.py").write_bytes(data)

    assert Quotations(tmp_path).lines("a.py") == expected


@pytest.mark.parametrize("name", ["gone.py", "folder", "loop.py", "pipe.py", "a\0b.py"])
def test_what_is_no_file_has_no_lines(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    os.mkfifo(tmp_path / "pipe.py")

    assert Quotations(tmp_path).lines(name) == ()
