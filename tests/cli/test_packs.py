"""Rule packs of others take part in everything, and say in a line what is wrong with them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import Torchlint
from tests.engine.projects import job_of, linted
from tests.installing import RULE, TWICE, declare, forget_packs, put_pack
from torchlint.cache import Folder, lint_cached
from torchlint.packs import sources
from torchlint.registry import builtin_rules, installed_rules
from torchlint.report import FileReport
from torchlint.selection import Choice

_CHECKOUT = Path(__file__).parents[2]


_ASKING = RULE.replace(
    "    def check(self, file):\n",
    """\
    def check(self, file):
        from .detectors.seeds import is_seeded_elsewhere, seeds
        if not file.project.once(is_seeded_elsewhere) or not file.share_of(seeds):
            return
""",
)
_FACTS = """
from torchlint.model.facts import fact, fact_of_each_file

@fact
def is_seeded_elsewhere(ev):
    return len(tuple(map(ev.project.parsed, ev.project.library.holding("manual_seed")))) > 1

@fact_of_each_file
def seeds(ev):
    files = map(ev.project.parsed, ev.project.library.holding("manual_seed"))
    return {file.path: [file.code] for file in files if "Generator" in file.code}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder that packages are installed in."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(folder)
    forget_packs()
    yield folder
    forget_packs()
    for name in [name for name in sys.modules if name.partition(".")[0].startswith("lint_")]:
        del sys.modules[name]


@pytest.fixture
def seeded(here: Path) -> Path:
    """Return a file that seeds twice."""
    file = here / "train.py"
    file.write_text(TWICE)
    return file


def test_a_rule_of_a_pack_is_on_like_any_other(place: Path, seeded: Path, torchlint: Torchlint) -> None:
    put_pack(place)

    ran = torchlint("-q", "--output-format", "concise")

    assert (ran.code, ran.out, ran.err) == (
        1,
        "train.py:4:1: seeded-twice `torch.manual_seed` is called again; seed once\n",
        "",
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--select", "seeded-twice"], 1),
        (["--select", "randomness"], 1),
        (["--select", "all"], 1),
        (["--select", "sync"], 0),
        (["--ignore", "seeded-twice"], 0),
        (["--ignore", "randomness"], 0),
    ],
)
def test_a_pack_is_selected_and_ignored_by_names_and_groups(
    place: Path, seeded: Path, torchlint: Torchlint, arguments: list[str], code: int
) -> None:
    put_pack(place)

    ran = torchlint("-q", *arguments)

    assert (ran.code, "seeded-twice" in ran.out) == (code, bool(code))


def test_a_pack_is_configured_and_suppressed(place: Path, seeded: Path, torchlint: Torchlint) -> None:
    put_pack(place)
    seeded.with_name("torchlint.toml").write_text("[rules.seeded-twice]\nat_least = 3\n")
    (seeded.parent / "other.py").write_text(TWICE * 2)
    (seeded.parent / "quiet.py").write_text("# torchlint: file-ignore[randomness]\n" + TWICE * 2)

    ran = torchlint("-q", "--output-format", "concise")

    assert [line.partition(":")[0] for line in ran.out.splitlines()] == ["other.py", "other.py", "other.py"]
    assert ran.err == ""


def test_a_wrong_option_of_a_pack_is_told(place: Path, seeded: Path, torchlint: Torchlint) -> None:
    put_pack(place)
    seeded.with_name("torchlint.toml").write_text("[rules.seeded-twice]\nat_leest = 3\n")

    ran = torchlint()

    assert ran.code == 2
    assert "did you mean `at_least`?" in ran.err


def test_a_pack_is_explained_with_its_programs_and_its_record(place: Path, torchlint: Torchlint) -> None:
    put_pack(place)
    record = place / "lint_dice" / "evidence" / "first.json"
    record.parent.mkdir()
    rule = {"rule": "seeded-twice", "verdict": "proved", "seen": "the same numbers", "programs": []}
    record.write_text(json.dumps({"date": "2026-01-01", "torch": "2.9.0", "gpus": [], "rules": [rule]}))

    ran = torchlint("explain", "seeded-twice")

    assert ran.code == 0
    assert "torch.manual_seed(0)  # error" in ran.out
    assert "the same numbers" in ran.out


def test_a_pack_is_listed_among_the_rules(place: Path, torchlint: Torchlint) -> None:
    put_pack(place)

    listed = json.loads(torchlint("rules", "--output-format", "json").out)["rules"]

    assert "seeded-twice" in [rule["name"] for rule in listed if rule["group"] == "randomness"]


@pytest.mark.parametrize("is_declared", [True, False])
def test_a_pack_declares_facts_beside_its_rule(place: Path, here: Path, *, is_declared: bool) -> None:
    """An edit that leaves the answers as they were makes no report anew that depends on the facts alone."""
    put_pack(place, rule=_ASKING)
    detectors = place / "lint_dice" / "rules" / "randomness" / "detectors"
    detectors.mkdir()
    (detectors / "__init__.py").touch()
    (detectors / "seeds.py").write_text(_FACTS if is_declared else re.sub(r"@fact\w*", "", _FACTS))
    for name in ("train.py", "other.py"):
        (here / name).write_text(TWICE)

    folder, both = Folder(here / "cache"), {"train.py", "other.py"}
    edits = {TWICE: both, f"{TWICE}x = 1\n": {"other.py"}, f"{TWICE}torch.Generator()\n": {"other.py"}, "x = 1\n": both}
    for text, anew in edits.items():
        (here / "other.py").write_text(text)
        job = replace(job_of(here), rules=Choice(["seeded-twice"], [], {}))
        reports: list[FileReport] = []
        made = lint_cached([(job, folder)], 1, reports.append)

        assert sorted(reports, key=lambda one: one.path) == linted(job)
        assert {one.report.path for one in made} == (anew if is_declared else both)


def test_a_pack_is_verified(place: Path, torchlint: Torchlint) -> None:
    pytest.importorskip("torch")
    put_pack(place)

    ran = torchlint("verify", "seeded-twice")

    assert ran.code == 0
    assert "seeded-twice" in ran.out
    assert "a game" in ran.out


BROKEN = [
    ("import nowhere_to_be_found", "(ModuleNotFoundError: No module named 'nowhere_to_be_found' at seeded_twice.py:1)"),
    ("1 / 0", "(ZeroDivisionError: division by zero at seeded_twice.py:1)"),
    ("x = (", "(SyntaxError: '(' was never closed (seeded_twice.py, line 1))"),
    ("raise SystemExit('no licence')", "(SystemExit: no licence at seeded_twice.py:1)"),
]


@pytest.mark.parametrize(("rule", "words"), BROKEN, ids=[rule for rule, _ in BROKEN])
@pytest.mark.parametrize("command", [["."], ["rules"], ["explain", "seeded-twice"]], ids=["lint", "rules", "explain"])
def test_a_broken_pack_is_one_line_that_names_it(
    place: Path, torchlint: Torchlint, rule: str, words: str, command: list[str]
) -> None:
    put_pack(place, rule=rule)

    ran = torchlint(*command)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"error: rule pack `dice` (lint-dice 1.2) cannot be loaded {words}: fix or uninstall it\n"


def test_a_broken_pack_keeps_no_rule_of_ours_from_being_explained(place: Path, torchlint: Torchlint) -> None:
    put_pack(place, rule="1 / 0")

    ran = torchlint("explain", "kept-graph")

    assert (ran.code, ran.err) == (0, "")


def test_a_pack_whose_package_is_not_there_is_told(place: Path, torchlint: Torchlint) -> None:
    declare(place, "dice", "lint_gone.rules")

    ran = torchlint("rules")

    assert ran.code == 2
    assert ran.err == (
        "error: rule pack `dice` (lint-dice 1.2) cannot be loaded "
        "(ModuleNotFoundError: No module named 'lint_gone'): fix or uninstall it\n"
    )


USELESS = [
    ("", "has no rules in `lint_dice.rules`: fix or uninstall it"),
    (
        RULE.replace('words = ("manual_seed",)', ""),
        "cannot be used: `lint_dice.rules.randomness.seeded_twice.SeededTwice` lacks `words`",
    ),
    (
        RULE.replace("SeededTwice", "Seeded_Twice"),
        "cannot be used: `lint_dice.rules.randomness.seeded_twice.Seeded_Twice` would be called `seeded_-twice`, "
        "which cannot be selected",
    ),
    (
        RULE.replace("SeededTwice", "KeptGraph"),
        "brings a rule `kept-graph`, and so does torchlint: rename or uninstall one",
    ),
    (
        RULE.replace("option_defaults", 'formerly = ("seed-again", "kept-graph")\n    option_defaults'),
        "brings a rule that was `kept-graph`, which is the name of something else: leave it out",
    ),
    (RULE.replace("SeededTwice", "Sync"), "brings a rule `sync`, which is the name of something else: rename it"),
    (
        RULE.replace("SeededTwice", "UnusedIgnore"),
        "brings a rule `unused-ignore`, which is the name of something else: rename it",
    ),
]


@pytest.mark.parametrize(
    ("rule", "words"), USELESS, ids=["empty", "bare", "name", "taken", "former", "group", "notice"]
)
def test_a_pack_that_cannot_be_used_is_told(place: Path, torchlint: Torchlint, rule: str, words: str) -> None:
    put_pack(place, rule=rule)

    ran = torchlint("rules")

    assert ran.code == 2
    assert ran.err == f"error: rule pack `dice` (lint-dice 1.2) {words}\n"


def test_two_packs_with_one_name_for_a_rule_are_both_named(place: Path, torchlint: Torchlint) -> None:
    put_pack(place)
    put_pack(place, "cards")

    ran = torchlint("rules")

    assert ran.code == 2
    assert ran.err == (
        "error: rule pack `dice` (lint-dice 1.2) brings a rule `seeded-twice`, "
        "and so does rule pack `cards` (lint-cards 1.2): rename or uninstall one\n"
    )


def test_all_broken_packs_are_told_at_once(place: Path, torchlint: Torchlint) -> None:
    put_pack(place, rule="1 / 0")
    put_pack(place, "cards", rule="")

    assert [line.split("`")[1] for line in torchlint("rules").err.splitlines()] == ["cards", "dice"]


def test_what_rules_have_in_common_is_no_rule(place: Path) -> None:
    common = RULE.replace("SeededTwice", "_Seeding").replace("Rule):", "Rule):", 1)
    put_pack(place, rule=f"{common}\n\nclass SeededTwice(_Seeding):\n    'Seed once.'\n")

    assert installed_rules().keys() - builtin_rules().keys() == {"seeded-twice"}


def test_the_code_of_a_pack_is_known_without_running_it(place: Path) -> None:
    put_pack(place, rule="1 / 0")

    assert {path.name for path in sources()} >= {"seeded_twice.py"}


def test_a_pack_in_the_folder_that_is_linted_is_never_run(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_pack(here, rule="raise SystemExit('it ran')")
    monkeypatch.syspath_prepend(here)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", str(here)]))
    forget_packs()

    assert torchlint("rules").code == 0


_LINT = """\
import sys, threading
{start}
if __name__ == "__main__":
    from torchlint.cli import run
    sys.exit(run(["-q", "--no-cache", "--isolated", "--jobs", "2", "--output-format", "concise", "."]))
"""
_SPAWN = "wait = threading.Event(); threading.Thread(target=wait.wait, daemon=True).start()"


@pytest.mark.parametrize("start", ["", _SPAWN], ids=["fork", "spawn"])
def test_workers_have_the_rules_of_packs(place: Path, here: Path, tmp_path: Path, start: str) -> None:
    put_pack(place)
    for number in range(40):
        (here / f"m{number}.py").write_text(TWICE)
    script = tmp_path / "lint.py"
    script.write_text(_LINT.format(start=start))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(_CHECKOUT), str(place)])}

    ran = subprocess.run(
        [sys.executable, script], cwd=here, env=environment, capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.count(": seeded-twice `torch.manual_seed` is called again") == 40


def test_the_module_imports_nothing_from_where_it_runs(here: Path, tmp_path: Path) -> None:
    for name in ("click", "random", "json"):
        (here / f"{name}.py").write_text("raise SystemExit('it ran')\n")
    environment = os.environ | {"PYTHONPATH": str(_CHECKOUT)}
    command = [sys.executable, "-m", "torchlint", "--select", "all", "."]

    ran = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
