"""What packs test their rules with sees what is wrong with them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.installing import RULE, forget_packs, put_pack
from torchlint.testing import Mark, cases, unkept

PACKAGE = "lint_dice.rules"


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of a pack that can be imported, and is installed nowhere."""
    monkeypatch.syspath_prepend(tmp_path)
    put_pack(tmp_path)
    yield tmp_path / "lint_dice"
    for name in [name for name in sys.modules if name.partition(".")[0] == "lint_dice"]:
        del sys.modules[name]


@pytest.fixture
def installed(pack: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of the same pack, where packs are looked for."""
    monkeypatch.setenv("PYTHONPATH", str(pack.parent))
    forget_packs()
    yield pack
    forget_packs()


def test_a_pack_that_is_right_needs_no_installation(pack: Path) -> None:
    found = cases(PACKAGE)

    assert [str(case) for case in found] == ["seeded-twice/bad.py", "seeded-twice/good.py"]
    assert [case.reported() == case.marked() for case in found] == [True, True]
    assert unkept(PACKAGE) == []


def test_a_line_that_is_not_marked_and_a_mark_on_a_line_that_is_right_differ(pack: Path) -> None:
    bad = pack / "fixtures" / "seeded-twice" / "bad.py"
    bad.write_text(bad.read_text().replace("  # error", "").replace("import torch", "import torch  # error"))

    (case,) = cases(PACKAGE, "bad")

    assert case.marked() - case.reported() == {Mark("main.py", 4, "seeded-twice")}
    assert case.reported() - case.marked() == {Mark("main.py", 7, "seeded-twice")}


def test_a_mark_may_name_other_rules_and_has_them_run(pack: Path) -> None:
    bad = pack / "fixtures" / "seeded-twice" / "bad.py"
    bad.write_text(bad.read_text() + "\nmodel = torch.nn.DataParallel(torch.nn.Linear(1, 1))  # error: data-parallel\n")

    (case,) = cases(PACKAGE, "bad")

    assert case.reported() == case.marked()
    assert Mark("main.py", 9, "data-parallel") in case.marked()


def test_a_program_of_several_files_is_linted_as_one(pack: Path) -> None:
    project = pack / "fixtures" / "seeded-twice" / "bad_project"
    project.mkdir()
    (project / "main.py").write_text("#: unproved  a game\nimport inner\n")
    (project / "inner.py").write_text("import torch\ntorch.manual_seed(0)\ntorch.manual_seed(0)  # error\n")

    case = cases(PACKAGE, "bad")[-1]

    assert case.reported() == case.marked() == {Mark("inner.py", 3, "seeded-twice")}


def test_a_folder_has_its_own_settings(installed: Path) -> None:
    project = installed / "fixtures" / "seeded-twice" / "good_project"
    project.mkdir()
    (project / "main.py").write_text("import torch\ntorch.manual_seed(0)\ntorch.manual_seed(0)\n")
    (project / "torchlint.toml").write_text("[rules.seeded-twice]\nat_least = 3\n")

    case = cases(PACKAGE, "good")[-1]

    assert case.program == project
    assert case.reported() == set()


def test_a_rule_that_raises_fails_its_test(pack: Path) -> None:
    source = pack / "rules" / "randomness" / "seeded_twice.py"
    source.write_text(RULE.replace("calls = ", "calls = 1 / 0; "))

    with pytest.raises(AssertionError, match=r"rule `seeded-twice` failed on main\.py .*division by zero"):
        cases(PACKAGE)[0].reported()


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("Seed once.\n", "seed once\n", "its page opens with no sentence of 79 characters or less"),
        ("What is seeded twice is as random as what is not.\n", "", "its page says what to do, and not why"),
        ("again; seed", "again, seed", "a message does not say after a semicolon what to do: `torch.manual"),
        ('once")', 'once.")', "a message starts with a capital or ends with a full stop: `torch.manual"),
        ("`torch.manual_seed` is", "this is", "a message quotes no code, and so"),
        (
            "again; seed once",
            f"again; {'seed ' * 30}",
            "a message is longer than 160 characters: `torch.manual_seed` is",
        ),
        ('"at_least": 2}', '"at_least": lambda: 2}', "it cannot be sent to a worker: "),
    ],
)
def test_a_convention_that_is_not_kept_is_told(pack: Path, before: str, after: str, told: str) -> None:
    source = pack / "rules" / "randomness" / "seeded_twice.py"
    assert before in RULE
    source.write_text(RULE.replace(before, after, 1).replace('len(calls) >= self.options["at_least"]', "True"))

    (words,) = unkept(PACKAGE)

    assert words.startswith(f"`seeded-twice`: {told}")


def test_programs_that_prove_or_show_nothing_are_told(pack: Path) -> None:
    programs = pack / "fixtures" / "seeded-twice"
    (programs / "bad.py").write_text("import torch\n")
    (programs / "bad_head.py").write_text("#: claim  explodes\nimport torch  # error\n")
    (programs / "good.py").unlink()
    (programs.parent / "left-over").mkdir()
    (programs.parent / "left-over" / "bad.py").touch()

    told = unkept(PACKAGE)

    assert told[0] == "fixtures/left-over belongs to no rule"
    assert told[1:4] == [
        "`seeded-twice`: it has no good program",
        "`seeded-twice`: bad.py claims nothing, and does not say why",
        "`seeded-twice`: bad.py marks no line",
    ]
    assert told[4].startswith("`seeded-twice`: bad_head.py ")


def test_a_module_by_another_name_than_its_rule_is_told(pack: Path) -> None:
    source = pack / "rules" / "randomness" / "seeded_twice.py"
    source.rename(source.with_name("seeding.py"))

    assert unkept(PACKAGE) == ["`seeded-twice`: its module is `seeding`, not `seeded_twice`"]
