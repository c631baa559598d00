"""Patterns mean what they mean to git, and take no longer for being odd."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import SupportsIndex

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.trust.running import torchlint
from torchlint.files.gitignore import patterns, read_patterns
from torchlint.files.wildmatch import Wildmatch

_PIECES = st.sampled_from([
    "a", "b", "foo", ".py", "é", " ", "-", "!", "*", "**", "***", "?", "/", "**/", "/**", "\\*", "\\a", "\\/", "\\ ",
    "[ab]", "[!a]", "[^b]", "[a-c]", "[c-a]", "[]a]", "[!]]", "[\\]]", "[-a]", "[a-]", "[a/]", "[a-", "[[:alpha:]b]",
    "[[:punct:]]", "[[:odd:]]", "[a",
])  # fmt: skip
_LINE = st.builds(
    "{}{}".format, st.sampled_from(["", "", "!", "/", "\\"]), st.lists(_PIECES, min_size=1, max_size=6).map("".join)
)
_NAMES = st.sampled_from(
    ["a", "b", "ab", "aab", "a.py", "foo", "foobar", "a-b", "a]b", "a b", "é", "]", "-", "[a", "!a"]
)
_PATHS = st.lists(st.lists(_NAMES, min_size=1, max_size=4).map("/".join), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("patterns")
    subprocess.run(["git", "init", "--quiet", top], check=True)
    return top


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(_LINE, min_size=1, max_size=3), end=st.sampled_from(["", "\n", "\r\n", "  \n"]), paths=_PATHS)
def test_git_agrees_on_what_a_pattern_means(repository: Path, lines: list[str], end: str, paths: list[str]) -> None:
    (repository / ".gitignore").write_bytes(("\n".join(lines) + end).encode())

    ignored = read_patterns(repository)

    assert ignored is not None
    ours = [path for path in paths if ignored.says(f"{repository.as_posix()}/{path}")]
    assert ours == _ignored_by_git(repository, paths)


def _ignored_by_git(repository: Path, paths: list[str]) -> list[str]:
    command = ["git", "check-ignore", "--no-index", "--stdin", "-z", "--verbose", "--non-matching"]
    said = subprocess.run(command, cwd=repository, input="\0".join(paths).encode(), capture_output=True, check=False)
    fields = said.stdout.decode().split("\0")
    lines = zip(fields[0::4], fields[2::4], fields[3::4], strict=False)
    return [path for source, pattern, path in lines if source and not pattern.startswith("!")]


@pytest.mark.parametrize(
    "pattern",
    [
        f"{'*a' * 60}b",
        f"**/{'*a' * 60}b",
        f"{'**/*a*/' * 40}b",
        f"{'a**' * 60}b",
        f"{'[ab]*' * 60}c",
        f"{'?*' * 60}c",
        f"{'**/' * 60}a/b",
        f"x{'*' * 20_000}y",
    ],
)
@pytest.mark.parametrize("path", ["a" * 250, "/".join("a" * 15 for _ in range(15)), "a/" * 120 + "a"])
def test_a_pattern_full_of_stars_is_done_with_at_once(pattern: str, path: str) -> None:
    steps = _Counted(os.fsencode(path))

    assert not Wildmatch(os.fsencode(pattern)).matches(steps)

    # Of the length of either there are but hundreds.
    assert steps.looked < 3_000_000


class _Counted(bytes):
    """A path that counts how often a part of it is read."""

    looked = 0

    def __getitem__(self, place: SupportsIndex | slice) -> int | bytes:  # type: ignore[override]
        self.looked += 1
        return super().__getitem__(place)


@pytest.mark.parametrize(
    "settings",
    [
        {".gitignore": "*a*a*a*a*a*a*a*ab\n"},
        {"torchlint.toml": 'exclude = ["*a*a*a*a*a*a*a*ab"]\n'},
        {"torchlint.toml": '[per-file-ignores]\n"*a*a*a*a*a*a*a*ab" = ["all"]\n'},
        {"torchlint.toml": 'include = ["*a*a*a*a*a*a*a*ab", "*.py"]\n'},
    ],
)
def test_no_setting_takes_for_ever(tmp_path: Path, settings: dict[str, str]) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / f"{'a' * 200}.py").write_text('import torch\nx = torch.ones(3, device="cuda")\n')
    for name, text in settings.items():
        (tmp_path / name).write_text(text)

    done = torchlint("--no-cache", "-q", ".", cwd=tmp_path)

    assert "hardcoded-cuda" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("line", "path", "said"),
    [
        ("foo**/bar", "foo1/2/bar", True),  # to git, `**` right behind what is plain is one of folders
        ("?.py", "é.py", None),  # a letter of two bytes
        ("[z-a]", "z", True),
        ("a\\", "a", None),
        ("trailing\\ ", "trailing ", True),
        ("a\u2028b", "a\u2028b", True),  # one line to git
        ("x\x0cy", "x\x0cy", True),
    ],
)
def test_the_odd_corners_are_those_of_git(tmp_path: Path, line: str, path: str, said: bool | None) -> None:
    (tmp_path / ".gitignore").write_bytes(f"{line}\n".encode())

    ignored = read_patterns(tmp_path)

    assert ignored is not None
    assert ignored.says(f"{tmp_path.as_posix()}/{path}") is said
    assert patterns(tmp_path, [line]).says(f"{tmp_path.as_posix()}/{path}") is said
