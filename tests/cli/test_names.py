"""Names that rules had before mean them still, and rules that are being tried out wait to be asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

from tests.cli.conftest import Ran, Torchlint
from torchlint import Confidence, Finding, Rule, Severity
from torchlint.registry import installed_rules
from torchlint.rule import OptionValue

if TYPE_CHECKING:
    from torchlint.model import SourceFile

_ONES = "import torch\n\nx = torch.ones(3)\n"
_NOTE = "the rule `plain-ones` is called `ones` now"


class Ones(Rule):
    """Do not make ones."""

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("ones",)
    formerly: ClassVar[tuple[str, ...]] = ("plain-ones", "all-ones")
    option_defaults: ClassVar[dict[str, OptionValue]] = {"message": "makes ones"}

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for call in file.calls("torch.ones"):
            yield self.finding(call, str(self.options["message"]))


class NewOnes(Ones):
    """Do not make new ones."""

    formerly = ()
    preview = True


@pytest.fixture
def concise(here: Path, torchlint: Torchlint) -> Iterator[Torchlint]:
    """Return what lints a file that a rule with other names, and one that is being tried out, find something in."""
    (here / "a.py").write_text(_ONES)
    for rule in (Ones, NewOnes):
        installed_rules()[rule.name] = rule
    yield lambda *words: torchlint("--output-format", "concise", "--no-cache", "a.py", *words)
    for rule in (Ones, NewOnes):
        del installed_rules()[rule.name]


def found(ran: Ran) -> list[str]:
    """Return the rules that found something."""
    return [line.split()[1] for line in ran.out.splitlines() if line.startswith("a.py:")]


@pytest.mark.parametrize(
    ("option", "rules"),
    [("--select", ["ones"]), ("--ignore", []), ("--extend-select", ["ones"])],
)
def test_a_former_name_on_the_command_line_means_the_rule_and_is_noted(
    concise: Torchlint, option: str, rules: list[str]
) -> None:
    ran = concise(option, "plain-ones")

    assert (found(ran), ran.err) == (rules, f"note: {_NOTE}, in {option}\n")
    assert concise("-q", option, "plain-ones").err == ""


@pytest.mark.parametrize(
    ("line", "place", "out"),
    [
        ('select = ["plain-ones"]', "1:11", "a.py:3:5: ones makes ones"),
        ('ignore = ["sync", "plain-ones"]', "1:19", ""),
        ('per-file-ignores = {"*.py" = ["plain-ones"]}', "1:31", ""),
        ('rules.plain-ones.message = "is plain"', "1:7", "a.py:3:5: ones is plain"),
        ('severity = {plain-ones = "info"}', "1:13", "a.py:3:5: ones makes ones"),
    ],
)
def test_a_former_name_in_a_configuration_is_noted_where_it_stands(
    concise: Torchlint, here: Path, line: str, place: str, out: str
) -> None:
    (here / "torchlint.toml").write_text(f"{line}\n")

    ran = concise()

    assert ran.err == f"note: torchlint.toml:{place}: {_NOTE}\n"
    assert [one for one in ran.out.splitlines() if one.startswith("a.py")] == [out] * bool(out)
    assert ran.code == (1 if out and "severity" not in line else 0)


def test_a_former_name_in_a_comment_ignores_and_is_mended(concise: Torchlint, here: Path) -> None:
    (here / "a.py").write_text(f"{_ONES[:-1]}  # torchlint: ignore[sync, plain-ones] why not\n")

    ran = concise("--ignore", "unused-ignore")

    message = "`plain-ones` is the former name of `ones`: write that"
    assert ran.out.startswith(f"a.py:3:46: renamed-ignore [*] {message}\n")
    assert ran.code == 0
    assert concise("-q", "--ignore", "unused-ignore", "--fix").out == ""
    assert (here / "a.py").read_text().endswith("  # torchlint: ignore[sync, ones] why not\n")


def test_a_former_name_that_ignores_nothing_is_told_as_that(concise: Torchlint, here: Path) -> None:
    (here / "a.py").write_text("import torch  # torchlint: ignore[plain-ones]\n")

    assert found(concise()) == ["unused-ignore"]


def test_a_baseline_knows_findings_by_the_former_name(concise: Torchlint, here: Path) -> None:
    concise("--baseline", "known.json", "--update-baseline")
    baseline = here / "known.json"
    baseline.write_text(baseline.read_text().replace('"ones"', '"all-ones"'))

    ran = concise("--baseline", "known.json")

    assert (ran.code, found(ran)) == (0, [])
    assert "cannot be found any more" not in ran.err


def test_a_former_name_is_explained(concise: Torchlint, torchlint: Torchlint) -> None:
    ran = torchlint("explain", "plain-ones")

    assert ran.out.startswith("ones: warning, high confidence, on by default, group `cli`, formerly `plain-ones`")
    assert ran.err == f"note: {_NOTE}, in the command line\n"


@pytest.mark.parametrize(
    ("words", "rules"),
    [
        ([], ["ones"]),
        (["--select", "all"], ["ones"]),
        (["--select", "cli"], ["ones"]),
        (["--preset", "all"], ["ones"]),
        (["--preview"], ["new-ones", "ones"]),
        (["--preview", "--select", "cli"], ["new-ones", "ones"]),
        (["--preview", "--ignore", "ones"], ["new-ones"]),
        (["--config", "preview=true"], ["new-ones", "ones"]),
        (["--config", "preview=true", "--no-preview"], ["ones"]),
        (["--select", "new-ones"], ["new-ones"]),
        (["--extend-select", "new-ones"], ["new-ones", "ones"]),
        (["--extend-select", "new-ones", "--ignore", "new-ones"], ["ones"]),
    ],
)
def test_what_is_tried_out_runs_where_it_is_asked_for(concise: Torchlint, words: list[str], rules: list[str]) -> None:
    assert found(concise(*words)) == rules


def test_what_is_tried_out_says_so_in_the_manual(concise: Torchlint, torchlint: Torchlint) -> None:
    listed = torchlint("rules").out.splitlines()

    assert [line.split()[3] for line in listed if line.startswith("  new-ones ")] == ["(in"]
    assert torchlint("explain", "new-ones").out.startswith("new-ones: warning, high confidence, in preview,")
    rules = json.loads(torchlint("rules", "--output-format", "json").out)["rules"]
    assert [(one["preview"], one["formerly"]) for one in rules if one["name"] in {"ones", "new-ones"}] == [
        (True, []),
        (False, ["plain-ones", "all-ones"]),
    ]
