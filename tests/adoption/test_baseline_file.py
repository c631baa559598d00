"""A baseline is read as it was written, and refused in a line where it is broken."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from torchlint.adoption import read_baseline, write_baseline
from torchlint.adoption.baseline_file import text
from torchlint.errors import UsageError

_KEYS = st.tuples(st.text(), st.text(), st.text(alphabet="0123456789abcdef", min_size=16, max_size=16))


@given(st.dictionaries(_KEYS, st.integers(1, 99)))
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, entries: dict[tuple[str, str, str], int]
) -> None:
    file = tmp_path_factory.mktemp("baseline") / "known.json"

    write_baseline(file, Counter(entries))

    assert read_baseline(file) == Counter(entries)


def test_every_entry_has_a_line_of_its_own_in_order() -> None:
    entries = Counter({("b.py", "x", "02"): 1, ("a.py", "y", "03"): 2, ("b.py", "x", "01"): 1, ("b.py", "w", "04"): 0})

    written = text(entries)

    assert [line.strip() for line in written.split("\n") if '"fp"' in line] == [
        '{"fp": "03", "n": 2}',
        '{"fp": "01", "n": 1},',
        '{"fp": "02", "n": 1}',
    ]
    assert json.loads(written)["version"] == 1
    assert json.loads(text(Counter())) == {"version": 1, "findings": {}}


def test_what_two_branches_added_to_one_list_adds_up(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_text('{"version": 1, "findings": {"a.py": {"x": [{"fp": "0", "n": 1}, {"fp": "0", "n": 2}]}}}')

    assert read_baseline(file) == Counter({("a.py", "x", "0"): 3})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ":1:1: expecting value: fix"),
        (b"{\n<<<<<<< HEAD\n", ":2:1: a conflict of a merge is in it: fix"),
        (b"\xff\xfe", " is no baseline: it is not text of JSON: fix"),
        (b"[" * 20000, " is no baseline: it is not text of JSON: fix"),
        (b"[]", " is no baseline: it has no table of findings: fix"),
        (b'{"findings": {}}', " is no baseline: its version is None, and this torchlint knows 1: fix"),
        (b'{"version": 2, "findings": {}}', " is no baseline: its version is 2, and this torchlint knows 1: fix"),
        (b'{"version": 1, "findings": {"a": 1}}', " is no baseline: what it has for a is no table: fix"),
        (b'{"version": 1, "findings": {"a": {"r": 1}}}', " is no baseline: what it has for r in a is no list: fix"),
        (b'{"version": 1, "findings": {"a": {"r": [{"fp": "0", "n": 0}]}}}', "an entry is not of the form"),
        (b'{"version": 1, "findings": {"a": {"r": ["0"]}}}', "an entry is not of the form"),
    ],
)
def test_a_broken_one_is_told_in_a_line(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "known.json"
    file.write_bytes(content)

    with pytest.raises(UsageError) as refused:
        read_baseline(file)

    assert words in str(refused.value)
    assert str(refused.value).endswith("or rewrite it with --update-baseline")
    assert "\n" not in str(refused.value)


def test_one_that_is_not_there_or_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()

    with pytest.raises(UsageError, match=r"there is no baseline .*: --update-baseline writes it"):
        read_baseline(tmp_path / "absent.json")
    with pytest.raises(UsageError, match=r"cannot read the baseline .*: is a directory"):
        read_baseline(tmp_path / "folder")
    with pytest.raises(UsageError, match=r"cannot write the baseline .*: (not a directory|file exists)"):
        write_baseline(tmp_path / "file" / "known.json", Counter())


def test_its_folder_is_made_and_a_link_to_it_stays_one(tmp_path: Path) -> None:
    file, link = tmp_path / "made" / "known.json", tmp_path / "link.json"
    link.symlink_to(file)

    write_baseline(link, Counter())
    file.chmod(0o640)
    write_baseline(link, Counter({("a", "b", "c"): 1}))

    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert read_baseline(file).total() == 1
    assert [*file.parent.iterdir()] == [file]
