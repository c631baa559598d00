"""A repository names commands in many ways, and `--diff-base` runs none of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.adoption.reports import found
from tests.trust.running import torchlint
from torchlint.adoption import changes_since
from torchlint.errors import UsageError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="what is run here are scripts for a shell")

_TEXT = "".join(f"x{number} = {number}\n" for number in range(1, 10))
_EDITED = _TEXT.replace("x4 = 4", "x4 = 0")


@dataclass(frozen=True, slots=True)
class Trap:
    """A repository that would run a script, and the file that the script makes."""

    top: Path
    script: Path
    sprung: Path

    def git(self, *words: str, cwd: Path | None = None) -> str:
        """Return git's output in the repository, with its usual environment."""
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")
        done = subprocess.run(
            ["git", *identity, *words], cwd=cwd or self.top, capture_output=True, text=True, check=False, timeout=60
        )
        return done.stdout.strip()

    def config(self, **settings: str) -> None:
        """Write settings into the repository's own configuration; `__` is the dot."""
        for key, value in settings.items():
            self.git("config", key.replace("__", "."), value)

    def commit(self, name: str, text: str) -> None:
        """Commit a file."""
        (self.top / name).parent.mkdir(parents=True, exist_ok=True)
        (self.top / name).write_text(text)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--message", name)

    def lose(self, name: str) -> None:
        """Remove an object, as a partial clone has never had it, and name a remote that would have it."""
        self.config(
            core__repositoryFormatVersion="1",
            extensions__partialClone="origin",
            remote__origin__promisor="true",
            remote__origin__url="/nowhere",
        )
        (self.top / ".git" / "objects" / name[:2] / name[2:]).unlink()


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trap:
    """Return a repository with one commit of a file and an edit of it, in which nothing is a trap yet."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    script, sprung = tmp_path / "script.sh", tmp_path / "sprung"
    script.write_text(f"#!/bin/sh\necho sprung >> {sprung}\ncat\n")
    script.chmod(0o755)
    top = tmp_path / "top"
    top.mkdir()
    made = Trap(top, script, sprung)
    made.git("init", "--quiet")
    made.commit("a.py", _TEXT)
    (top / "a.py").write_text(_EDITED)
    return made


def _attributes(trap: Trap, says: str) -> None:
    (trap.top / ".git" / "info").mkdir(exist_ok=True)
    (trap.top / ".git" / "info" / "attributes").write_text(f"*.py {says}\n")


def _clean(trap: Trap) -> None:
    trap.config(filter__x__clean=str(trap.script))
    _attributes(trap, "filter=x")


def _committed_attributes(trap: Trap) -> None:
    trap.config(filter__x__clean=str(trap.script), filter__x__required="true")
    (trap.top / ".gitattributes").write_text("*.py filter=x\n")


def _smudge(trap: Trap) -> None:
    trap.config(filter__x__smudge=str(trap.script))
    _attributes(trap, "filter=x")


def _process(trap: Trap) -> None:
    trap.config(filter__x__process=str(trap.script))
    _attributes(trap, "filter=x")


def _textconv(trap: Trap) -> None:
    trap.config(diff__x__textconv=str(trap.script))
    _attributes(trap, "diff=x")


def _driver(trap: Trap) -> None:
    trap.config(diff__x__command=str(trap.script))
    _attributes(trap, "diff=x")


def _external(trap: Trap) -> None:
    trap.config(diff__external=str(trap.script))


def _monitor(trap: Trap) -> None:
    trap.config(core__fsmonitor=str(trap.script))


def _hooks(trap: Trap) -> None:
    hooks = trap.top.parent / "hooks"
    hooks.mkdir()
    for folder in (hooks, trap.top / ".git" / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in (
            "post-checkout",
            "post-index-change",
            "reference-transaction",
            "fsmonitor-watchman",
            "pre-auto-gc",
        ):
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(trap.script)
    trap.config(core__hooksPath=str(hooks))


def _aliases(trap: Trap) -> None:
    for name in ("trap", "rev-parse", "merge-base", "ls-tree", "ls-files", "cat-file", "diff"):
        trap.git("config", f"alias.{name}", f"!{trap.script}")


def _pagers(trap: Trap) -> None:
    trap.config(core__pager=str(trap.script), core__editor=str(trap.script), gpg__program=str(trap.script))
    for name in ("rev-parse", "merge-base", "ls-tree", "ls-files", "cat-file", "diff"):
        trap.git("config", f"pager.{name}", str(trap.script))


def _included(trap: Trap) -> None:
    other = trap.top.parent / "included"
    other.write_text(f"[diff]\n external = {trap.script}\n[core]\n fsmonitor = {trap.script}\n")
    trap.git("config", f"includeIf.gitdir:{trap.top}/.path", str(other))


def _of_worktrees(trap: Trap) -> None:
    trap.config(core__repositoryFormatVersion="1", extensions__worktreeConfig="true")
    trap.git("config", "--worktree", "diff.external", str(trap.script))


_WAYS: dict[str, tuple[Callable[[Trap], None], tuple[str, ...]]] = {
    "clean": (_clean, ("diff", "HEAD")),
    "committed attributes": (_committed_attributes, ("diff", "HEAD")),
    "smudge": (_smudge, ("checkout", "--", "a.py")),
    "process": (_process, ("diff", "HEAD")),
    "textconv": (_textconv, ("diff", "HEAD")),
    "diff driver": (_driver, ("diff", "HEAD")),
    "diff.external": (_external, ("diff", "HEAD")),
    "fsmonitor": (_monitor, ("status",)),
    "hooks": (_hooks, ("checkout", "HEAD")),
    "aliases": (_aliases, ("trap",)),
    "pagers": (_pagers, ()),
    "includeIf": (_included, ("diff", "HEAD")),
    "config.worktree": (_of_worktrees, ("diff", "HEAD")),
}


@pytest.mark.parametrize("way", _WAYS)
def test_no_command_of_a_repository_is_run(trap: Trap, way: str) -> None:
    lay, springing = _WAYS[way]
    lay(trap)
    trap.sprung.unlink(missing_ok=True)

    changed = _changed(trap.top)

    assert not trap.sprung.exists()
    assert changed == [4]
    if springing:
        trap.git(*springing)
        assert trap.sprung.exists(), "this was no trap"


def _changed(top: Path, name: str = "a.py", reference: str = "HEAD") -> list[int]:
    changes = changes_since(reference, top)
    return [line for line in range(1, 10) if changes.touch(top / name, found(name, line).span)]


def _upload(trap: Trap) -> None:
    trap.config(remote__origin__uploadpack=str(trap.script))


def _ssh(trap: Trap) -> None:
    trap.config(remote__origin__url="ssh://example.invalid/x", core__sshCommand=str(trap.script))


def _proxy(trap: Trap) -> None:
    trap.config(remote__origin__url="git://example.invalid/x", core__gitProxy=str(trap.script))


def _helper(trap: Trap) -> None:
    trap.config(remote__origin__url=f"ext::{trap.script}", protocol__ext__allow="always")


def _credentials(trap: Trap) -> None:
    trap.config(
        remote__origin__url="http://127.0.0.1:9/x",
        credential__helper=str(trap.script),
        core__askPass=str(trap.script),
        protocol__http__allow="always",
    )


@pytest.mark.parametrize("lost", ["HEAD:a.py", "HEAD^{tree}", "HEAD~1", "HEAD~1:a.py"])
@pytest.mark.parametrize("fetch", [_upload, _ssh, _proxy, _helper, _credentials])
def test_what_is_missing_is_not_fetched_and_said_to_be_missing(
    trap: Trap, fetch: Callable[[Trap], None], lost: str
) -> None:
    trap.commit("a.py", _EDITED)
    (trap.top / "a.py").write_text(_EDITED + "more = 1\n")
    name, reference = trap.git("rev-parse", lost), "HEAD~1" if "~" in lost else "HEAD"
    trap.lose(name)
    # Git would wait for an answer.
    trap.script.write_text(f"#!/bin/sh\necho sprung >> {trap.sprung}\nexit 1\n")
    fetch(trap)
    trap.sprung.unlink(missing_ok=True)

    with pytest.raises(UsageError) as refused:
        _changed(trap.top, reference=reference)

    assert "\n" not in str(refused.value)
    assert not trap.sprung.exists()
    if fetch is not _credentials:
        trap.git("cat-file", "-p", name)
        assert trap.sprung.exists(), "this was no trap"


def test_what_a_submodule_says_is_not_run(trap: Trap) -> None:
    other = trap.top.parent / "other"
    other.mkdir()
    trap.git("init", "--quiet", cwd=other)
    (other / "m.py").write_text(_TEXT)
    trap.git("add", "--all", cwd=other)
    trap.git("commit", "--quiet", "--message", "m", cwd=other)
    trap.git("submodule", "--quiet", "add", str(other), "sub")
    trap.git("commit", "--quiet", "--message", "sub")
    for key in ("core.fsmonitor", "diff.external", "filter.x.clean"):
        trap.git("config", key, str(trap.script), cwd=trap.top / "sub")
    (trap.top / ".git" / "modules" / "sub" / "info" / "attributes").write_text("*.py filter=x\n")
    (trap.top / "sub" / "m.py").write_text(_EDITED)
    (trap.top / "sub" / "new.py").write_text(_TEXT)
    trap.config(diff__submodule="diff", submodule__recurse="true")
    trap.sprung.unlink(missing_ok=True)

    assert _changed(trap.top, "sub/m.py") == []
    assert _changed(trap.top, "sub/new.py") == [*range(1, 10)]
    assert not trap.sprung.exists()

    trap.git("diff", "HEAD")
    assert trap.sprung.exists(), "this was no trap"


def test_a_repository_that_is_committed_inside_another_is_a_folder_of_that(trap: Trap) -> None:
    inner = trap.top / "inner"
    inner.mkdir()
    trap.git("init", "--quiet", "--bare", ".", cwd=inner)
    (inner / "t.py").write_text(_TEXT)
    for key, value in (("core.bare", "false"), ("core.worktree", "."), ("core.fsmonitor", str(trap.script))):
        trap.git("config", key, value, cwd=inner)
    trap.git("config", "filter.x.clean", str(trap.script), cwd=inner)
    (inner / "info" / "attributes").write_text("*.py filter=x\n")
    trap.git("add", "t.py", cwd=inner)
    trap.git("commit", "--quiet", "--message", "inner", cwd=inner)
    trap.git("add", "--all", "--force")
    trap.git("commit", "--quiet", "--message", "all")
    (inner / "t.py").write_text(_EDITED)
    trap.sprung.unlink(missing_ok=True)

    changes = changes_since("HEAD", inner)

    assert [line for line in range(1, 10) if changes.touch(inner / "t.py", found("t.py", line).span)] == [4]
    assert not trap.sprung.exists()
    trap.git("status", cwd=inner)
    assert trap.sprung.exists(), "this was no trap"


def test_a_git_that_lies_in_what_is_linted_is_not_run(trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    (trap.top / "git").symlink_to(trap.script)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", os.environ["PATH"]]))
    monkeypatch.chdir(trap.top)

    assert _changed(trap.top) == [4]
    assert not trap.sprung.exists()


def test_the_command_line_keeps_the_promise_too(trap: Trap) -> None:
    _committed_attributes(trap)
    (trap.top / "a.py").write_text('import torch\nx = torch.ones(3, device="cuda")\n')

    done = torchlint("--no-cache", "-q", "--output-format", "concise", "--diff-base", "HEAD", ".", cwd=trap.top)

    assert done.stdout.startswith("a.py:2:26: hardcoded-cuda")
    assert not trap.sprung.exists()


@pytest.mark.parametrize(
    "says", ["binary", "-diff", "-text", "eol=crlf", "ident", "working-tree-encoding=UTF-16", "merge=x"]
)
def test_attributes_hide_no_change(trap: Trap, says: str) -> None:
    _attributes(trap, says)

    assert _changed(trap.top) == [4]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_that_only_end_in_another_way_have_not_changed(trap: Trap, end: str) -> None:
    (trap.top / "a.py").write_bytes(_TEXT.replace("\n", end).encode())
    as_committed = _changed(trap.top)
    (trap.top / "a.py").write_bytes(_EDITED.replace("\n", end).encode())

    assert as_committed == []
    assert _changed(trap.top) == [4]


def test_a_file_that_git_lfs_stores_has_not_changed_while_it_is_what_was_stored(trap: Trap) -> None:
    import hashlib

    digest = hashlib.sha256(_TEXT.encode()).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(_TEXT)}\n"
    trap.commit("stored.py", pointer)
    (trap.top / "stored.py").write_text(_TEXT)
    as_stored = _changed(trap.top, "stored.py")
    (trap.top / "stored.py").write_text(_EDITED)

    assert as_stored == []
    assert _changed(trap.top, "stored.py") == [*range(1, 10)]


def test_of_files_that_moved_the_one_most_alike_is_what_it_was(trap: Trap) -> None:
    trap.commit("a.py", _TEXT)
    trap.commit("like.py", _TEXT.replace("x1 = 1", "first = 1"))
    trap.git("mv", "a.py", "b.py")
    trap.git("rm", "--quiet", "like.py")
    (trap.top / "b.py").write_text(_EDITED)
    (trap.top / "c.py").write_text("".join(f"y{number} = {number}\n" for number in range(9)))
    trap.git("add", "c.py")

    assert _changed(trap.top, "b.py") == [4]
    assert _changed(trap.top, "c.py") == [*range(1, 10)]


def test_what_changed_is_asked_of_the_file_as_it_is_now(trap: Trap) -> None:
    changes = changes_since("HEAD", trap.top)
    before = changes.touch(trap.top / "a.py", found("a.py", 4).span)
    (trap.top / "a.py").write_text(f"import os\n{_EDITED}")

    now = [line for line in range(1, 10) if changes.touch(trap.top / "a.py", found("a.py", line).span)]

    assert before
    assert now == [1, 5]


def test_a_tree_without_an_end_is_not_gone_through(trap: Trap) -> None:
    tree = _tree(trap, [f"100644 blob {trap.git('hash-object', '-w', 'a.py')}\ta.py"])
    for _ in range(10):
        tree = _tree(trap, [f"040000 tree {tree}\t{'d' * 30}{number}" for number in range(10)])
    commit = trap.git("commit-tree", tree, "-p", "HEAD", "-m", "bomb")
    trap.git("update-ref", "HEAD", commit)

    with pytest.raises(UsageError, match="answers with more than 256 MiB"):
        changes_since("HEAD", trap.top)


def _tree(trap: Trap, entries: list[str]) -> str:
    text = "".join(f"{entry}\n" for entry in entries)
    done = subprocess.run(["git", "mktree"], cwd=trap.top, input=text, capture_output=True, text=True, check=True)
    return done.stdout.strip()
