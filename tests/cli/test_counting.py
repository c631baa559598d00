"""What of all that is found counts, and how that is settled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Torchlint
from torchlint import Confidence, Finding, Rule, Severity, SourceFile
from torchlint.cli.configs import Configs
from torchlint.cli.options import LintOptions
from torchlint.config import load_config
from torchlint.config.toml import parsed
from torchlint.registry import installed_rules

_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'
_MANY = f"{_CUDA}{_CUDA}{_CUDA}"
_EVALUATION = """\
import torch

def count(model, loader):
    right = 0
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            right += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
    return right
"""
_KEPT = """\
import torch


def train(model, loader, optimizer):
    total = 0
    for x in loader:
        loss = model(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
    return total
"""


def rules(ran: Ran) -> list[str]:
    """Return the rules of concise output."""
    return [line.split(" ")[1] for line in ran.out.splitlines()]


class Doubtful(Rule):
    """Look at every line that creates a tensor, and say what may be wrong."""

    severity = Severity.WARNING
    confidence = Confidence.LOW
    default = False
    words = ("ones",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for call in file.calls("torch.ones"):
            yield self.finding(call, "may be wrong")
            yield self.finding(call, "is likely wrong", confidence=Confidence.MEDIUM)


@pytest.fixture
def concise(here: Path, torchlint: Torchlint) -> Iterator[Torchlint]:
    """Return what lints a file with a finding, and where all rules run two that are less sure."""
    (here / "a.py").write_text(_CUDA)
    installed_rules()["doubtful"] = Doubtful
    yield lambda *words: torchlint("-q", "--output-format", "concise", *words)
    del installed_rules()["doubtful"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([], ["hardcoded-cuda"]),
        (["--preset", "default"], ["hardcoded-cuda"]),
        (["--preset", "strict"], ["doubtful", "hardcoded-cuda"]),
        (["--preset", "all"], ["doubtful", "doubtful", "hardcoded-cuda"]),
        (["--preset", "all", "--min-confidence", "high"], ["hardcoded-cuda"]),
        (["--extend-select", "doubtful"], ["doubtful", "hardcoded-cuda"]),
        (["--extend-select", "doubtful", "--min-confidence", "low"], ["doubtful", "doubtful", "hardcoded-cuda"]),
        (["--select", "doubtful", "--min-confidence", "low"], ["doubtful", "doubtful"]),
        (["--select", "sync", "--extend-select", "doubtful"], ["doubtful"]),
        (["--config", 'preset="strict"'], ["doubtful", "hardcoded-cuda"]),
        (["--config", 'preset="all"', "--config", 'min-confidence="high"'], ["hardcoded-cuda"]),
    ],
)
def test_a_preset_says_which_rules_run_and_how_sure_they_must_be(
    concise: Torchlint, words: list[str], found: list[str]
) -> None:
    assert rules(concise("a.py", *words)) == found


def test_the_command_line_goes_before_what_a_file_selects(concise: Torchlint, here: Path) -> None:
    (here / "torchlint.toml").write_text('select = ["sync"]\nmin-confidence = "high"\n')

    assert rules(concise("a.py")) == []
    assert rules(concise("a.py", "--preset", "strict")) == ["doubtful", "hardcoded-cuda"]
    assert rules(concise("a.py", "--config", 'select=["device"]')) == ["hardcoded-cuda"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 1),
        (["--fail-on", "error"], 0),
        (["--fail-on", "warning"], 1),
        (["--config", 'severity.hardcoded-cuda="info"'], 0),
        (["--config", 'severity.hardcoded-cuda="info"', "--fail-on", "info"], 1),
        (["--config", 'severity.hardcoded-cuda="error"', "--fail-on", "error"], 1),
        (["--config", 'severity.device="info"'], 0),
        (["--config", 'severity={device="info", hardcoded-cuda="error"}', "--fail-on", "error"], 1),
        (["--config", 'severity.all="info"'], 0),
        (["--config", 'fail-on="error"'], 0),
    ],
)
def test_a_run_fails_from_the_severity_on_that_is_asked_for(concise: Torchlint, words: list[str], code: int) -> None:
    assert concise("a.py", *words).code == code


def test_hints_fail_a_run_where_that_is_asked_for(here: Path, torchlint: Torchlint) -> None:
    (here / "eval.py").write_text(_EVALUATION)

    assert torchlint("--select", "item-in-eval-loop").code == 0
    assert torchlint("--select", "item-in-eval-loop", "--fail-on", "info").code == 1


def test_no_more_findings_are_shown_than_are_wanted_and_the_others_are_counted(
    here: Path, torchlint: Torchlint
) -> None:
    (here / "a.py").write_text(_MANY)
    (here / "b.py").write_text(_MANY)

    ran = torchlint("--output-format", "concise", "--max-findings", "4", "--no-group")
    document = json.loads(torchlint("--output-format", "json", "--max-findings", "4", "--no-group").out)

    assert ran.out.splitlines()[4:] == [
        "Found 6 findings (6 warnings) in 2 of 2 files, 0.00 s.",
        "[-] 6 fixable with `torchlint --fix --unsafe-fixes`.",
        "note: 2 findings (2 warnings) not shown: `--max-findings 0` shows all",
    ]
    each = torchlint("--no-group").out
    assert (
        torchlint("--max-findings", "6", "--no-group").out == torchlint("--max-findings", "0", "--no-group").out == each
    )
    assert len(document["findings"]) == 6


@pytest.mark.parametrize("form", ["concise", "full", "grouped"])
def test_where_some_are_not_shown_the_worst_come_first(form: str, here: Path, torchlint: Torchlint) -> None:
    for name in ("a.py", "b.py"):
        (here / name).write_text(_MANY)
    for name in ("c.py", "d.py"):
        (here / name).write_text(_CUDA.replace(")", ""))

    some = torchlint("--output-format", form, "--max-findings", "3", "--no-group").out
    one = torchlint("--output-format", form, "--max-findings", "1", "--no-group").out

    found = [
        rule
        for line in some.splitlines()
        for rule in ("unreadable-source", "hardcoded-cuda")
        if rule in line and "explain" not in line
    ]
    assert found == ["unreadable-source", "unreadable-source", "hardcoded-cuda"]
    assert "Found 8 findings (2 errors, 6 warnings) in 4 of 4 files" in some
    assert some.endswith("\nnote: 5 findings (5 warnings) not shown: `--max-findings 0` shows all\n")
    assert one.endswith("\nnote: 7 findings (1 error, 6 warnings) not shown: `--max-findings 0` shows all\n")


def test_comments_are_heard_unless_they_are_not_to_be(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(_CUDA.replace('cuda")', 'cuda")  # torchlint: ignore[hardcoded-cuda, kept-graph]'))

    ran = torchlint("-q", "--output-format", "concise", "--no-ignores")

    assert rules(ran) == ["hardcoded-cuda"]
    assert rules(torchlint("-q", "--output-format", "concise")) == ["unused-ignore"]


def test_patterns_of_the_command_line_leave_out_more_from_where_one_is(here: Path, torchlint: Torchlint) -> None:
    for name in ("a.py", "b/a.py", "b/c.py"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(_CUDA)
    (here / "torchlint.toml").write_text('exclude = ["/a.py"]\n')

    ran = torchlint("--show-files", "--exclude", "b/c.py")

    assert ran == Ran(0, "b/a.py\n", "")
    assert torchlint("--show-files").out == "b/a.py\nb/c.py\n"
    assert torchlint("--exclude", "!").err == "error: `!` in --exclude is not a pattern as in .gitignore\n"


def test_what_git_ignores_is_linted_where_it_is_not_heeded(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(_CUDA)
    (here / ".gitignore").write_text("a.py\n")

    assert torchlint("--show-files").out == ""
    assert torchlint("--show-files", "--no-respect-gitignore").out == "a.py\n"
    assert torchlint("--show-files", "--config", "respect-gitignore=false").out == "a.py\n"


def test_a_folder_that_is_called_like_what_is_skipped_is_the_projects_own(here: Path, torchlint: Torchlint) -> None:
    project = here / "build" / "net"
    project.mkdir(parents=True)
    (project / "a.py").write_text(_CUDA)
    (here / "base.toml").write_text('exclude = ["old/"]\n')
    (project / "torchlint.toml").write_text('extend = "../../base.toml"\nforce-exclude = true\n')

    assert torchlint("--show-files", "build/net/a.py").out == "build/net/a.py\n"


def test_the_environment_settles_what_the_command_line_does_not(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "a.py").write_text(_CUDA)
    (here / "none.toml").write_text('select = []\noutput-format = "json"\n')

    monkeypatch.setenv("TORCHLINT_OUTPUT_FORMAT", "concise")
    monkeypatch.setenv("TORCHLINT_CONFIG", "none.toml")

    assert torchlint() == Ran(0, "All checks passed (1 file, 0.00 s).\n", "")
    assert rules(torchlint("-q", "--isolated")) == ["hardcoded-cuda"]
    assert torchlint("--output-format", "json").out.startswith("{")
    monkeypatch.delenv("TORCHLINT_OUTPUT_FORMAT")
    assert torchlint().out.startswith("{")
    monkeypatch.setenv("TORCHLINT_CONFIG", "nowhere.toml")
    assert torchlint().err == "error: path does not exist: nowhere.toml (from TORCHLINT_CONFIG)\n"


def test_an_output_format_that_there_is_none_of_is_told(here: Path, torchlint: Torchlint) -> None:
    (here / "torchlint.toml").write_text('output-format = "concize"\n')

    ran = torchlint()

    assert ran.code == 2
    assert "\n  | " in ran.err
    assert "`output-format` cannot be `concize`; did you mean `concise`?\n" in ran.err


def test_files_are_shown_and_not_linted(here: Path, torchlint: Torchlint) -> None:
    (here / "b.py").write_text("x = (1,\n")
    (here / "a.pyi").write_text("")

    assert torchlint("--show-files") == Ran(0, "a.pyi\nb.py\n", "")
    assert torchlint("--show-files", "nowhere.py").code == 2


def test_settings_are_shown_as_a_configuration_that_says_the_same(here: Path, torchlint: Torchlint) -> None:
    (here / "base.toml").write_text('exclude = ["data/"]\n[severity]\nsync = "info"\n')
    (here / "torchlint.toml").write_text(
        'extend = "base.toml"\npreset = "strict"\ntarget-torch = "2.4"\n'
        'baseline = "k.json"\n[per-file-ignores]\n"tests/**" = ["sync"]\n'
    )
    (here / "k.json").write_text('{"version": 1, "findings": {}}')
    (here / "a.py").write_text(_CUDA)

    ran = torchlint("--show-settings", "--ignore", "sync")
    (here / "shown.toml").write_text(ran.out)

    first, again = (load_config(here / name) for name in ("torchlint.toml", "shown.toml"))
    assert ran.out.startswith("# torchlint.toml: holds for 1 file\n")
    assert (again.preset, again.exclude, again.severity, again.baseline) == (
        first.preset, first.exclude, first.severity, first.baseline,
    )  # fmt: skip
    assert (again.per_file_ignores, again.target_torch) == (first.per_file_ignores, first.target_torch)
    assert "hardcoded-cuda" in ran.out
    assert "kept-graph" not in ran.out


def test_every_configuration_is_shown_once(here: Path, torchlint: Torchlint) -> None:
    (here / "b").mkdir()
    (here / "b" / "torchlint.toml").write_text('select = ["sync"]\n')
    for name in ("a.py", "b/c.py", "z.py"):
        (here / name).write_text(_CUDA)

    ran = torchlint("--show-settings")
    told = torchlint("-v", "-q", "--exit-zero")

    assert [line for line in ran.out.splitlines() if "holds for" in line] == [
        "# b/torchlint.toml: holds for 1 file",
        "# no configuration: holds for 2 files",
    ]
    assert all(parsed(f"#{part}") for part in ran.out.split("\n\n#"))
    default, sync = (
        len(Configs(LintOptions(select=names)).rules(Configs(LintOptions()).of(here))) for names in (None, ("sync",))
    )
    assert told.err.splitlines() == [
        f"b/torchlint.toml: 1 file, {sync} rules, preset default",
        f"no configuration: 2 files, {default} rules, preset default",
        "not looked into (default of `exclude`): .git",
    ]


def test_what_is_left_out_of_a_run_is_counted_and_told_why(here: Path, torchlint: Torchlint) -> None:
    for name in ("a.py", "gone/b.py", "gone/c.py", "old/d.py", "inner/e.py"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text("x = 1\n")
    (here / ".gitignore").write_text("gone/\n")
    (here / "inner" / "torchlint.toml").write_text('include = ["f.py"]\n')
    words = "4 files left out: 2 by .gitignore, 1 by `exclude`, 1 by `include`"

    ran = torchlint("--exclude", "old")
    told = torchlint("--exclude", "old", "-v", "-q")
    machine = torchlint("--exclude", "old", "--output-format", "json")

    assert ran.out.startswith("All checks passed (1 file, ")
    assert ran.out.endswith(f"\nnote: {words}\n")
    assert words in told.err.splitlines()
    assert told.out == ""
    assert machine.err == f"note: {words}\n"
    assert torchlint("a.py").out.count("\n") == 1


def test_the_default_of_exclude_is_a_setting_like_any_other(here: Path, torchlint: Torchlint) -> None:
    for name in ("a.py", "venv/b.py", "runs/c.py"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text("x = 1\n")

    def files(*words: str) -> list[str]:
        return torchlint("--show-files", *words).out.splitlines()

    assert '".venv", ' in next(line for line in torchlint("--show-settings").out.splitlines() if "exclude" in line)
    assert files() == ["a.py", "runs/c.py"]
    assert files("--config", 'extend-exclude = ["runs"]') == ["a.py"]
    assert files("--config", 'exclude = ["runs"]') == ["a.py", "venv/b.py"]
    assert files("--config", "exclude = []") == ["a.py", "runs/c.py", "venv/b.py"]
    assert files("venv/b.py") == ["venv/b.py"]
    assert files("--force-exclude", "venv/b.py", "a.py") == ["a.py"]


def test_where_all_that_is_named_is_left_out_that_is_said(here: Path, torchlint: Torchlint) -> None:
    (here / "old").mkdir()
    for name in ("old/a.py", "old/b.py", "c.py"):
        (here / name).write_text("x = 1\n")

    ran = torchlint("--force-exclude", "--exclude", "old/", "old/a.py", "old/b.py")

    assert ran == Ran(0, "", "warning: nothing is left to lint: 2 files left out by `exclude`\n")
    some = torchlint("--force-exclude", "--exclude", "old/", "old/a.py", "c.py")
    assert some.out.endswith("\nnote: 1 file left out by `exclude`\n")


def test_what_may_be_fixed_can_be_said_by_name(here: Path, torchlint: Torchlint) -> None:
    file = here / "a.py"
    for words, is_fixed in (
        (["--unfixable", "kept-graph"], False),
        (["--unfixable", "sync"], False),
        (["--fixable", "device"], False),
        (["--config", 'unfixable=["all"]'], False),
        (["--fixable", "device,kept-graph"], True),
    ):
        file.write_text(_KEPT)
        torchlint("--fix", *words)
        assert ("detach" in file.read_text()) is is_fixed


def test_unsafe_fixes_can_be_settled_by_the_project(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(_CUDA)
    (here / "torchlint.toml").write_text("unsafe-fixes = true\n")

    assert torchlint("a.py").code == 1
    assert torchlint("--fix", "a.py").code == 0


def test_fixes_alone_show_nothing_that_is_left(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(f"{_KEPT}\n\n{_CUDA}")

    assert torchlint("--fix-only") == Ran(0, "Fixed 1 finding in 1 file.\n", "")
    assert torchlint("--fix-only") == Ran(0, "", "")


def test_what_was_fixed_can_fail_a_run(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(_KEPT)

    assert torchlint("--fix", "--exit-non-zero-on-fix").code == 1
    assert torchlint("--fix", "--exit-non-zero-on-fix").code == 0
    (here / "a.py").write_text(_KEPT)
    assert torchlint("--fix-only", "--exit-non-zero-on-fix", "--exit-zero").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--extend-select", "snyc"], "unknown rule `snyc` in --extend-select; did you mean `sync`?"),
        (["--fixable", "snyc"], "unknown rule `snyc` in --fixable; did you mean `sync`?"),
        (["--config", "a.toml", "--config", "b.toml"], "--config names 2 files: give one, and let it extend the other"),
        (["--config", "nowhere.toml"], "path does not exist: nowhere.toml"),
        (["--config", "a.toml", "--isolated"], "--config names a file, and --isolated reads none: give one of them"),
        (["--exit-non-zero-on-fix"], "--exit-non-zero-on-fix is for --fix and --diff: give one of them with it"),
        (["--config", "selec=[]"], "invalid configuration in --config"),
    ],
)
def test_a_mistake_is_told_in_a_line(here: Path, torchlint: Torchlint, words: list[str], told: str) -> None:
    ran = torchlint(*words)

    assert ran.code == 2
    assert ran.err.splitlines()[0] == f"error: {told}"
