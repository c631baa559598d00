"""The files that are linted are those that the user means, each once and in order."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from torchlint.errors import UsageError
from torchlint.files import folders
from torchlint.files.discovery import Discovered, discover
from torchlint.files.gitignore import is_ignored, patterns
from torchlint.files.skipped import EXCLUDED
from torchlint.project.library import Library

IGNORE = ".gitignore"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def touch(*names: str) -> None:
    write(dict.fromkeys(names, ""))


def found(*paths: str, exclude: Sequence[str] = (), root: str = ".") -> Discovered:
    return discover([Path(path) for path in paths or (".",)], [*EXCLUDED, *exclude], Path(root))


def shown(*paths: str, exclude: Sequence[str] = (), root: str = ".") -> list[str]:
    return [target.shown for target in found(*paths, exclude=exclude, root=root).targets]


def test_files_come_in_order_and_each_once() -> None:
    touch("src/b.py", "src/a.pyi", "src/a/c.py", "src/a.txt", "src/n.ipynb", "z.py")

    files = shown("z.py", "src/b.py", "src", "./src/a", str(Path("src/b.py").absolute()), ".")

    assert files == ["src/a.pyi", "src/a/c.py", "src/b.py", "src/n.ipynb", "z.py"]


def test_a_target_opens_what_it_shows() -> None:
    write({"src/a.py": "import torch"})

    (target,) = found().targets

    assert target.path.read_text() == "import torch"


def test_what_lies_outside_is_shown_from_the_top(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch("src/a.py", "tools/b.py")
    monkeypatch.chdir("src")

    assert shown("..") == [f"{project.as_posix()}/tools/b.py", "a.py"]


@pytest.mark.parametrize("folder", ["node_modules", ".venv", ".git/hooks", "b/site-packages", "a/__pycache__"])
def test_what_is_not_the_project_s_own_code_is_left_out(folder: str) -> None:
    touch(f"{folder}/x.py", "a/kept.py")

    assert shown() == ["a/kept.py"]
    assert list(Library(Path()).paths) == [Path("a/kept.py").absolute()]


MADE = ["build", "checkpoints", "dist", "lightning_logs", "outputs", "runs", "wandb", "logs", "data"]


@pytest.mark.parametrize("folder", MADE)
def test_a_folder_of_python_is_linted_whatever_programs_call_their_results(folder: str) -> None:
    touch(f"{folder}/x.py", f"pkg/{folder}/__init__.py")

    assert shown() == sorted([f"{folder}/x.py", f"pkg/{folder}/__init__.py"])
    assert len([*Library(Path()).paths]) == 2


@pytest.mark.parametrize("folder", MADE[:-2])
def test_results_that_git_ignores_are_no_part_of_the_project(folder: str) -> None:
    write({IGNORE: f"{folder}/\n!/pkg/{folder}/\n", f"{folder}/x.py": "", f"pkg/{folder}/y.py": ""})

    assert shown() == [f"pkg/{folder}/y.py"]
    assert [path.name for path in Library(Path()).paths] == ["y.py"]


def test_what_is_excluded_by_default_can_be_taken_in() -> None:
    touch("venv/x.py", "node_modules/y.py", "z.py")

    everything = discover([Path()], [], Path())
    some = discover([Path()], ["node_modules"], Path())

    assert [target.shown for target in everything.targets] == ["node_modules/y.py", "venv/x.py", "z.py"]
    assert [target.shown for target in some.targets] == ["venv/x.py", "z.py"]
    assert shown(exclude=["!venv"]) == ["venv/x.py", "z.py"]


def test_what_is_excluded_by_default_is_so_wherever_the_walk_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    touch("here/a.py", "there/b.py", "there/.venv/c.py")
    monkeypatch.chdir("here")

    assert [Path(name).name for name in shown("../there")] == ["b.py"]


def test_what_is_left_out_is_counted_by_what_leaves_it_out() -> None:
    write({IGNORE: "gone/\n", "pyvenv/pyvenv.cfg": "", "pyvenv/a.py": ""})
    touch("gone/a.py", "gone/b/c.py", "gone/b/venv/d.py", "gone/notes.txt", "old/a.py", "b_old.py", "a.py", ".git/HEAD")

    left_out = found(exclude=["*old*"]).left_out

    assert left_out.words == "4 files left out: 2 by .gitignore, 2 by `exclude`"
    assert left_out.details == [
        left_out.words,
        "not looked into (default of `exclude`): .git",
        "not looked into (virtual environment): pyvenv",
    ]


def test_what_is_named_like_python_and_cannot_be_linted_is_counted() -> None:
    write({f"project/{IGNORE}": "gone.py\n", "project/own/f.py": "", "elsewhere/b.py": "", "elsewhere/c/d.py": ""})
    os.mkfifo("project/pipe.py")
    Path("project/dangling.py").symlink_to("nowhere.py")
    Path("project/.#a.py").symlink_to("user@machine.1234")
    Path("project/linked").symlink_to("../elsewhere")
    Path("project/again").symlink_to("own")
    Path("project/node_modules").symlink_to("../elsewhere")
    Path("project/null.py").symlink_to("/dev/null")
    Path("project/gone.py").symlink_to("nowhere")

    left_out = found("project").left_out

    assert shown("project") == ["project/own/f.py"]
    assert left_out.words == (
        "5 files left out: 1 (a link without a target), 2 (in a linked folder), 2 (not a regular file)"
    )
    assert left_out.details[1:] == [
        "not looked into (a link without a target): project/dangling.py",
        "not looked into (link to a folder): project/linked",
        "not looked into (not a regular file): project/null.py, project/pipe.py",
    ]


def test_who_leaves_out_a_great_deal_does_not_wait_for_it_to_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "_MOST_LOOKS", 20)
    touch(*(f"data/{number}.py" for number in range(30)), "b/a.py", "c.py")

    left_out = found(exclude=["data", "b"]).left_out

    assert left_out.details == [
        "at least 1 file left out by `exclude`",
        "not looked into (too much to count what is left out): data",
    ]


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history"])
def test_a_virtual_environment_is_left_out_whatever_its_name(mark: str) -> None:
    touch("env/game.py", "py311/x.py", f"py311/{mark}")

    assert shown() == ["env/game.py"]
    assert list(Library(Path()).paths) == [Path("env/game.py").absolute()]


def test_a_file_that_is_named_is_linted_wherever_it_lies() -> None:
    write({IGNORE: "*.py\n", "venv/a.py": "", "b.py": ""})

    assert shown("venv/a.py", "b.py", exclude=["b.py"]) == ["b.py", "venv/a.py"]


@pytest.mark.parametrize(
    ("ignored", "exclude"), [("outputs/", []), ("out*", []), ("", ["outputs"]), ("outputs", ["outputs"])]
)
def test_a_folder_that_is_named_is_walked_wherever_it_lies(ignored: str, exclude: list[str]) -> None:
    write({".git/HEAD": "", IGNORE: ignored, "outputs/run/a.py": "", "outputs/run/venv/b.py": ""})

    assert shown("outputs", exclude=exclude) == ["outputs/run/a.py"]
    assert shown("outputs/run", exclude=exclude) == ["outputs/run/a.py"]
    assert shown(exclude=exclude) == []


def test_patterns_of_the_configuration_are_relative_to_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    touch("src/data/a.py", "src/data/keep/b.py", "data/c.py", "src/net.py", "src/old_net.py")
    monkeypatch.chdir("src")

    assert shown(exclude=["/data", "old_*"], root="..") == ["data/a.py", "data/keep/b.py", "net.py"]
    assert shown(exclude=["/src/data/*", "!/src/data/keep"], root="..") == ["data/keep/b.py", "net.py", "old_net.py"]


def test_patterns_say_nothing_of_what_lies_outside_their_folder() -> None:
    touch("one/a.py", "two/a.py")

    assert shown("one", "two", exclude=["a.py"], root="one") == ["two/a.py"]


def test_what_git_ignores_is_left_out_and_counted() -> None:
    write({
        IGNORE: "scratch/\n*_old.py\n!kept_old.py\n# a comment\n/top.py\n!\n[z-a]\n",
        "scratch/a.py": "", "scratch/b.py": "", "net_old.py": "", "kept_old.py": "", "top.py": "", "sub/top.py": "",
        "notes_old.txt": "",
    })  # fmt: skip

    discovered = found()

    assert [target.shown for target in discovered.targets] == ["kept_old.py", "sub/top.py"]
    assert discovered.left_out.words == "4 files left out by .gitignore"


def test_the_innermost_gitignore_that_speaks_decides() -> None:
    write({
        IGNORE: "*.py\n!a.py\ngone/\n", "a.py": "", "b.py": "",
        f"sub/{IGNORE}": "!b.py\na.py\n", "sub/a.py": "", "sub/b.py": "",
        # Below a folder that is ignored git looks at nothing.
        f"gone/{IGNORE}": "!*\n", "gone/a.py": "",
    })  # fmt: skip

    assert shown() == ["a.py", "sub/b.py"]


def test_what_is_above_counts_up_to_the_top_of_the_repository() -> None:
    write({
        IGNORE: "b.py\n", "repo/.git/HEAD": "", f"repo/{IGNORE}": "a.py\n",
        "repo/src/a.py": "", "repo/src/b.py": "", "repo/src/c.py": "",
    })  # fmt: skip

    assert shown("repo/src") == ["repo/src/b.py", "repo/src/c.py"]


def test_where_there_is_no_repository_nothing_above_counts() -> None:
    write({IGNORE: "a.py\n", "src/a.py": ""})

    assert shown("src") == ["src/a.py"]


def test_a_repository_inside_another_one_has_its_own_rules() -> None:
    write({".git/HEAD": "", IGNORE: "a.py\n", "third/.git": "gitdir: ../.git/modules/third", "third/a.py": ""})

    assert shown() == ["third/a.py"]


def test_links_neither_loop_nor_lead_away_nor_count_twice(tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "huge.py").touch()
    (elsewhere / "shared.py").touch()
    touch("src/net.py")
    Path("src/loop").symlink_to(Path("src").absolute())
    Path("src/a_link.py").symlink_to("net.py")
    Path("src/datasets").symlink_to(elsewhere)
    Path("src/shared.py").symlink_to(elsewhere / "shared.py")
    Path("src/.#lock.py").symlink_to("nobody@nowhere:1")
    Path("src/itself.py").symlink_to("itself.py")

    assert shown() == ["src/net.py", "src/shared.py"]
    assert shown("src/a_link.py", ".") == ["src/a_link.py", "src/shared.py"]
    assert shown("src/datasets") == ["src/datasets/huge.py", "src/datasets/shared.py"]


def test_two_dots_behind_a_link_mean_what_is_above_its_target() -> None:
    touch("real/deep/x.py", "real/a.py", "a/b.py")
    Path("a/link").symlink_to(Path("real/deep").absolute())

    assert shown("a/link/..") == ["real/a.py", "real/deep/x.py"]


def test_a_file_of_another_kind_is_refused() -> None:
    touch("train.txt", "nb.ipynb", "net.py", "net.R")

    with pytest.raises(UsageError) as refused:
        found("net.py", "train.txt", "nb.ipynb", "net.R")

    assert refused.value.lines == (
        "train.txt is not a .py, .pyi or .ipynb file\n  tip: `--extension txt:python` lints it as Python",
        "net.R is not a .py, .pyi or .ipynb file\n  tip: `--extension R:python` lints it as Python",
    )


def test_a_pipe_is_not_waited_for() -> None:
    os.mkfifo("pipe.py")

    with pytest.raises(UsageError, match=r"^pipe\.py is not a file$"):
        found("pipe.py")

    assert shown() == []


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("tset", "path does not exist: tset\n  tip: a similar path exists: test/"),
        ("test/trian.py", "path does not exist: test/trian.py\n  tip: a similar path exists: test/train.py"),
        ("tset/trian.py", "path does not exist: tset/trian.py\n  tip: a similar path exists: test/train.py"),
        ("test/train.py/x", "path does not exist: test/train.py/x"),
        ("nowhere/at/all.py", "path does not exist: nowhere/at/all.py"),
        ("test/notes.tx", "path does not exist: test/notes.tx"),
        ("nul\0.py", "path does not exist: nul\0.py\n  tip: a similar path exists: net.py"),
    ],
)
def test_a_path_that_does_not_exist_is_told_with_the_nearest_one(path: str, told: str) -> None:
    touch("test/train.py", "test/notes.txt", "net.py")
    Path("circle").symlink_to("circle")

    discovered = found(path, "net.py", path)

    assert [f"{missing.message}\n  tip: {missing.tip}".removesuffix("\n  tip: ") for missing in discovered.missing] == [
        told
    ]
    assert [target.shown for target in discovered.targets] == ["net.py"]


def test_what_cannot_be_read_is_named_and_the_rest_is_linted() -> None:
    touch("a/kept.py")
    os.mkfifo("x")
    deep = os.open(".", os.O_RDONLY)
    # Deeper than any path may be long.
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=deep)
        deep, above = os.open("d" * 250, os.O_RDONLY, dir_fd=deep), deep
        os.close(above)
    os.close(deep)

    discovered = found()

    assert [target.shown for target in discovered.targets] == ["a/kept.py"]
    (error,) = discovered.errors
    assert error.kind == "unreadable-path"
    assert error.message == f"cannot read {error.path}: file name too long"


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="nothing is closed to root")
def test_a_folder_that_is_closed_is_named() -> None:
    touch("closed/a.py", "open/b.py")
    Path("closed").chmod(0)

    discovered = found()
    below = found("closed/a.py")
    Path("closed").chmod(0o700)

    assert [target.shown for target in discovered.targets] == ["open/b.py"]
    assert [error.message for error in discovered.errors] == ["cannot read closed: permission denied"]
    assert [error.message for error in below.errors] == ["cannot read closed/a.py: permission denied"]


def test_a_file_whose_name_is_not_text_is_found_and_can_be_ignored() -> None:
    Path(os.fsdecode(b"caf\xe9.py")).touch()
    Path(os.fsdecode(b"th\xe9.py")).touch()
    Path(IGNORE).write_bytes(b"th\xe9.py\n")

    assert shown() == [os.fsdecode(b"caf\xe9.py")]


NAME = st.sampled_from(["a", "b", "ab", "*", "*.py", "a.py", "?", "a*", "[ab]"])
PATTERN = st.one_of(
    NAME,
    st.builds("/{}".format, NAME),
    st.builds("{}/{}".format, NAME, NAME),
    st.builds("**/{}".format, NAME),
    st.builds("{}/**".format, NAME),
    st.builds("{}/**/{}".format, NAME, NAME),
)
LINE = st.builds("{}{}{}".format, st.sampled_from(["", "", "!"]), PATTERN, st.sampled_from(["", "", "/"]))
FILES = ["b.py", "ab/a.py", "ab/b", "a.py", "b/a/a.py", "b/a/ab.py", "b/ab.py"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outer=st.lists(LINE, max_size=4), inner=st.lists(LINE, max_size=3))
def test_git_agrees_on_what_it_ignores(project: Path, outer: list[str], inner: list[str]) -> None:
    if not (project / ".git").exists():
        subprocess.run(["git", "init", "-q"], check=True)
        touch(*FILES)
    write({IGNORE: "\n".join(outer), f"b/{IGNORE}": "\n".join(inner)})

    files = shown()

    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard", "*.py"], capture_output=True, check=True, text=True
    )
    assert files == sorted(listed.stdout.splitlines())


def test_of_layers_the_innermost_decides() -> None:
    layers = [patterns(Path("/p"), ["*.py"]), patterns(Path("/p/sub"), ["!a.py"])]

    assert is_ignored("/p/a.py", layers)
    assert is_ignored("/p/sub/b.py", layers)
    assert not is_ignored("/p/sub/a.py", layers)
    assert not is_ignored("/p/sub/a.txt", layers)


@pytest.mark.parametrize(
    ("lines", "path", "said"),
    [
        (["data/"], "/p/data/a.py", True),
        (["data/", "!a.py"], "/p/data/a.py", True),
        (["data/*", "!a.py"], "/p/data/a.py", False),
        (["data/**"], "/p/data/", None),
        (["*.py"], "/p/a.py", True),
        (["p/"], "/p/a.py", None),
        (["*"], "/q/a.py", None),
    ],
)
def test_what_is_said_of_a_folder_is_said_of_what_is_in_it(lines: list[str], path: str, said: bool | None) -> None:
    assert patterns(Path("/p"), lines).says(path) is said
