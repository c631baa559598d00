"""The manual on the screen, to the letter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import torchlint
from tests.output.reports import flush
from torchlint import Confidence, Finding, Rule, Severity
from torchlint.errors import UsageError
from torchlint.explain import LISTINGS, listing, page
from torchlint.manual import Notice
from torchlint.model import SourceFile
from torchlint.programs import programs
from torchlint.registry import builtin_rules
from torchlint.rule import OptionValue


class ItemInLoop(Rule):
    """Read numbers off the GPU once, after the loop.

    `.item()` waits for the GPU. In a loop it waits
    on every step.
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("item",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        yield from ()


class BatchHalving(ItemInLoop):
    """Use A | B."""

    severity = Severity.INFO
    confidence = Confidence.LOW
    default = False
    option_defaults: ClassVar[Mapping[str, OptionValue]] = {
        "at_least": 3,
        "strict": True,
        "names": ("a", "b"),
        "mode": "all",
    }


@dataclass(frozen=True)
class EngineNotice:
    name: str = "unused-ignore"
    group: str = "torchlint"
    severity: Severity = Severity.WARNING
    summary: str = "Remove ignore comments that ignore nothing."
    page: str = "They hide the next mistake on their line."


BAD = '''"""The loss is read on every step."""
#: claim  waits >= 1 per step
#: gpus   1

total += loss.item()  # error
'''
GOOD = "total += loss.detach()\n"
SUBJECTS = (ItemInLoop, BatchHalving, EngineNotice())


@pytest.fixture
def fixtures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of `item-in-loop`, in a root that the package finds its fixtures under."""
    monkeypatch.setattr(torchlint, "__path__", [*torchlint.__path__, str(tmp_path)])
    folder = tmp_path / "fixtures" / "item-in-loop"
    folder.mkdir(parents=True)
    (folder / "bad.py").write_text(BAD)
    (folder / "bad_meter.py").write_text("meter.update(loss.item())  # error\n")
    (folder / "good.py").write_text(GOOD)
    return folder


def test_a_page_says_what_why_how_it_is_proved_and_how_to_suppress_it(fixtures: Path) -> None:
    assert page("item-in-loop", SUBJECTS) == flush(
        f"""
        item-in-loop: warning, high confidence, on by default, group `tests`

        Read numbers off the GPU once, after the loop.

        `.item()` waits for the GPU. In a loop it waits
        on every step.

        Proof
            claim     waits >= 1 per step
            gpus      1
            The good program does not. `torchlint verify item-in-loop` runs both and the other bad ones.

        Bad: `# error` marks what is reported ({fixtures / "bad.py"})
            \"""The loss is read on every step.\"""
            #: claim  waits >= 1 per step
            #: gpus   1

            total += loss.item()  # error

        Good ({fixtures / "good.py"})
            total += loss.detach()

        To suppress it
            # torchlint: ignore[item-in-loop] why it is right here
            # torchlint: file-ignore[item-in-loop] why it is right in this file
            [tool.torchlint]
            ignore = ["item-in-loop"]
        """
    )


def test_a_rule_without_programs_has_a_page_with_its_options() -> None:
    assert page("batch-halving", SUBJECTS) == flush(
        """
        batch-halving: info, low confidence, opt-in, group `tests`

        Use A | B.

        Options
            [tool.torchlint.rules.batch-halving]
            at_least = 3
            strict = true
            names = ["a", "b"]
            mode = "all"

        To suppress it
            # torchlint: ignore[batch-halving] why it is right here
            # torchlint: file-ignore[batch-halving] why it is right in this file
            [tool.torchlint]
            ignore = ["batch-halving"]
        """
    )


def test_a_notice_has_a_page() -> None:
    notice: Notice = EngineNotice()

    assert page("unused-ignore", [notice]) == flush(
        """
        unused-ignore: warning, high confidence, on by default, group `torchlint`

        Remove ignore comments that ignore nothing.

        They hide the next mistake on their line.

        To suppress it
            [tool.torchlint]
            ignore = ["unused-ignore"]
        """
    )


def test_a_notice_whose_page_begins_with_its_summary_says_it_once() -> None:
    whole = EngineNotice(page="Remove ignore comments that ignore nothing.\n\nThey hide the next mistake.")

    assert page("unused-ignore", [whole]).count("Remove ignore comments") == 1


def test_evidence_is_cited_with_the_claim(fixtures: Path) -> None:
    text = page(
        "item-in-loop", SUBJECTS, evidence="MEASURED on an H200, 2026-01-01: 1.00 waits per step, 0.00 in the good one"
    )

    assert "and the other bad ones.\n    MEASURED on an H200, 2026-01-01: 1.00 waits per step" in text


def test_a_claim_that_is_not_proved_is_not_called_so(fixtures: Path) -> None:
    (fixtures / "bad.py").write_text("#: unproved  needs two machines\n")

    text = page("item-in-loop", SUBJECTS)

    assert "    unproved  needs two machines\n" in text
    assert "torchlint verify" not in text


def test_colour_adds_nothing_else(fixtures: Path) -> None:
    plain, coloured = page("item-in-loop", SUBJECTS), page("item-in-loop", SUBJECTS, color=True)

    assert coloured != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("item-in-lop", "unknown rule `item-in-lop`; did you mean `item-in-loop`?"),
        ("ITEM_IN_LOOP", "unknown rule `ITEM_IN_LOOP`; did you mean `item-in-loop`?"),
        ("TL101", "unknown rule `TL101`; `torchlint rules` lists them all"),
        ("../../etc/passwd", "unknown rule `../../etc/passwd`; `torchlint rules` lists them all"),
    ],
)
def test_an_unknown_rule_is_told_with_the_nearest_one(name: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        page(name, SUBJECTS)

    assert raised.value.lines == (message,)


def test_the_list_is_by_group_and_name() -> None:
    assert listing(SUBJECTS) == flush(
        """
        tests
          batch-halving  info     low     (opt-in) Use A | B.
          item-in-loop   warning  high    Read numbers off the GPU once, after the loop.
        torchlint
          unused-ignore  warning  high    Remove ignore comments that ignore nothing.
        """
    )


def test_the_list_is_markdown_for_a_manual() -> None:
    assert listing(SUBJECTS, "markdown") == flush(
        """
        ## tests

        | rule | what to do | severity | confidence | |
        |---|---|---|---|---|
        | `batch-halving` | Use A \\| B. | info | low | opt-in |
        | `item-in-loop` | Read numbers off the GPU once, after the loop. | warning | high | on by default |

        ## torchlint

        | rule | what to do | severity | confidence | |
        |---|---|---|---|---|
        | `unused-ignore` | Remove ignore comments that ignore nothing. | warning | high | on by default |
        """
    )


def test_the_list_is_json_for_programs() -> None:
    document = json.loads(listing(SUBJECTS, "json"))

    assert document["version"] == 1
    assert [rule["name"] for rule in document["rules"]] == ["batch-halving", "item-in-loop", "unused-ignore"]
    assert document["rules"][0] == {
        "name": "batch-halving",
        "group": "tests",
        "severity": "info",
        "confidence": "low",
        "default": False,
        "summary": "Use A | B.",
        "page": "Use A | B.",
        "options": {"at_least": 3, "strict": True, "names": ["a", "b"], "mode": "all"},
    }


@pytest.mark.parametrize("form", LISTINGS)
def test_every_form_names_every_rule(form: str) -> None:
    text = listing(SUBJECTS, form)

    assert all(subject.name in text for subject in SUBJECTS)


def test_every_rule_that_ships_can_be_explained() -> None:
    for name, rule in builtin_rules().items():
        text = page(name, [rule])

        assert programs(name, "bad"), name
        assert programs(name, "good"), name
        assert programs(name, "bad")[0].claims, name
        assert text.startswith(f"{name}: ")


@pytest.mark.parametrize("name", sorted(builtin_rules()))
def test_the_page_of_every_rule_says_what_its_program_claims_or_why_it_claims_nothing(name: str) -> None:
    proof = page(name, builtin_rules().values()).partition("\nProof\n")[2].partition("\n\n")[0]

    told = re.search(r"^    (claim|unproved) +\S.*$", proof, re.MULTILINE)
    assert told
    assert (told[1] == "claim") == ("`torchlint verify" in proof)


def test_programs_are_read_from_a_project_by_its_main_file(fixtures: Path) -> None:
    (fixtures / "bad_project").mkdir()
    (fixtures / "bad_project" / "main.py").write_text("import net\n")
    (fixtures / "bad_project" / "net.py").write_text("x = 1\n")

    names = [program.path.relative_to(fixtures).as_posix() for program in programs("item-in-loop", "bad")]

    assert names == ["bad.py", "bad_meter.py", "bad_project/main.py"]
