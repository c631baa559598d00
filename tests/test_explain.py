"""The manual on the screen, to the letter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import torchlint
from tests.output.reports import flush
from torchlint import Confidence, Finding, Rule, Severity
from torchlint.errors import UsageError
from torchlint.explain import FORMS, explained, listing, page
from torchlint.manual import Notice, Subject
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


def shown(name: str, subjects: Sequence[Subject] = SUBJECTS) -> str:
    """Return the page of a name as it is printed where nothing is known of the terminal."""
    return explained([page(name, subjects)])


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
    assert shown("item-in-loop") == flush(
        f"""
        item-in-loop: warning, high confidence, on by default, group `tests`

        Read numbers off the GPU once, after the loop.

        `.item()` waits for the GPU. In a loop it waits
        on every step.

        Proof
            claim     waits >= 1 per step
            gpus      1
            The bad program has to do what it claims, and the good one must not.
            `torchlint verify item-in-loop` runs both and the other bad ones.

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
    assert shown("batch-halving") == flush(
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

    assert shown("unused-ignore", [notice]) == flush(
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

    assert shown("unused-ignore", [whole]).count("Remove ignore comments") == 1


def test_evidence_is_cited_with_the_claim(fixtures: Path) -> None:
    seen = "MEASURED on an H200, 2026-01-01: 1.00 waits per step, 0.00 in the good one"

    text = explained([page("item-in-loop", SUBJECTS, seen)])

    assert "and the other bad ones.\n    MEASURED on an H200, 2026-01-01: 1.00 waits per step" in text


def test_a_claim_that_is_not_proved_is_not_called_so(fixtures: Path) -> None:
    (fixtures / "bad.py").write_text("#: unproved  needs two machines\n")

    text = shown("item-in-loop")

    assert "    unproved  needs two machines\n" in text
    assert "torchlint verify" not in text


def test_colour_adds_nothing_else(fixtures: Path) -> None:
    found = [page("item-in-loop", SUBJECTS)]

    plain, coloured = explained(found), explained(found, color=True)

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
        "preview": False,
        "formerly": [],
        "summary": "Use A | B.",
        "page": "Use A | B.",
        "reference": None,
        "options": {"at_least": 3, "strict": True, "names": ["a", "b"], "mode": "all"},
    }


@pytest.mark.parametrize("form", FORMS)
def test_every_form_names_every_rule(form: str) -> None:
    text = listing(SUBJECTS, form)

    assert all(subject.name in text for subject in SUBJECTS)


def test_every_rule_that_ships_can_be_explained() -> None:
    for name, rule in builtin_rules().items():
        text = shown(name, [rule])

        assert programs(name, "bad"), name
        assert programs(name, "good"), name
        assert programs(name, "bad")[0].claims, name
        assert text.startswith(f"{name}: ")


@pytest.mark.parametrize("name", sorted(builtin_rules()))
def test_the_page_of_every_rule_says_what_its_program_claims_or_why_it_claims_nothing(name: str) -> None:
    proof = shown(name, [*builtin_rules().values()]).partition("\nProof\n")[2].partition("\n\n")[0]

    told = re.search(r"^    (claim|unproved) +\S.*$", proof, re.MULTILINE)
    assert told
    assert (told[1] == "claim") == ("`torchlint verify" in proof)


def test_programs_are_read_from_a_project_by_its_main_file(fixtures: Path) -> None:
    (fixtures / "bad_project").mkdir()
    (fixtures / "bad_project" / "main.py").write_text("import net\n")
    (fixtures / "bad_project" / "net.py").write_text("x = 1\n")

    names = [program.path.relative_to(fixtures).as_posix() for program in programs("item-in-loop", "bad")]

    assert names == ["bad.py", "bad_meter.py", "bad_project/main.py"]


def test_a_mended_program_is_shown_by_what_changes(fixtures: Path) -> None:
    (fixtures / "fixed_meter.py").write_text("meter.update(loss.detach())\n")

    text = shown("item-in-loop")

    assert text.startswith("item-in-loop: warning, high confidence, on by default, group `tests`, fixable\n")
    assert (
        f"Fixed ({fixtures / 'fixed_meter.py'})\n"
        "    @@ -1 +1 @@\n"
        "    -meter.update(loss.item())\n"
        "    +meter.update(loss.detach())\n"
    ) in text


def test_a_terminal_gets_its_words_folded_and_its_programs_as_they_are(fixtures: Path) -> None:
    (fixtures / "bad.py").write_text(f"#: claim  waits\nx = [{'0, ' * 60}]\n")
    found = page("item-in-loop", SUBJECTS)

    narrow, wide = explained([found], width=45), explained([found], width=300)

    assert "`.item()` waits for the GPU. In a loop it\nwaits on every step.\n" in narrow
    assert "`.item()` waits for the GPU. In a loop it waits on every step.\n" in wide
    assert "0, " * 60 in narrow


def test_on_a_terminal_the_list_goes_on_below_itself() -> None:
    assert listing([ItemInLoop], width=70) == flush(
        """
        tests
          item-in-loop  warning  high    Read numbers off the GPU once, after
                                         the loop.
        """
    )


def test_a_page_is_markdown_for_documents(fixtures: Path) -> None:
    (fixtures / "fixed.py").write_text(GOOD)
    found = page("item-in-loop", SUBJECTS, "proved on a Sunday")

    text = explained([found], "markdown")

    assert text == (
        "# item-in-loop\n\n"
        "warning, high confidence, on by default, group `tests`, fixable\n\n"
        "**Read numbers off the GPU once, after the loop.**\n\n"
        "`.item()` waits for the GPU. In a loop it waits\non every step.\n\n"
        f"## Bad\n\n```python\n{BAD}```\n\n"
        f"## Good\n\n```python\n{GOOD}```\n\n"
        f"## Fixed\n\n```python\n{GOOD}```\n\n"
        "## Proof\n\n| | |\n|---|---|\n| `claim` | waits \\>= 1 per step |\n| `gpus` | 1 |\n\n"
        "The bad program has to do what it claims, and the good one must not.\n\n"
        "`torchlint verify item-in-loop` runs both and the other bad ones.\n\n"
        "proved on a Sunday\n\n"
        "## To suppress it\n\n"
        "```python\n# torchlint: ignore[item-in-loop] why it is right here\n"
        "# torchlint: file-ignore[item-in-loop] why it is right in this file\n```\n\n"
        '```toml\n[tool.torchlint]\nignore = ["item-in-loop"]\n```\n'
    )


def test_a_program_that_holds_a_fence_stays_in_its_own(fixtures: Path) -> None:
    (fixtures / "good.py").write_text('"""\n```\n"""\n')

    assert '\n````python\n"""\n```\n"""\n````\n' in explained([page("item-in-loop", SUBJECTS)], "markdown")


def test_pages_are_json_for_programs(fixtures: Path) -> None:
    found = [page("item-in-loop", SUBJECTS, "seen"), page("batch-halving", SUBJECTS)]

    document = json.loads(explained(found, "json"))

    assert [rule["name"] for rule in document["rules"]] == ["item-in-loop", "batch-halving"]
    assert document["rules"][0]["bad"][0] == {
        "name": "bad.py",
        "claims": {"claim": "waits >= 1 per step", "gpus": "1"},
        "text": BAD,
    }
    assert (document["rules"][0]["evidence"], document["rules"][0]["fixable"]) == ("seen", False)
    assert document["rules"][1]["good"] == []


@pytest.mark.parametrize("form", FORMS)
def test_several_pages_follow_each_other(form: str) -> None:
    text = explained([page("item-in-loop", SUBJECTS), page("unused-ignore", SUBJECTS)], form)

    assert 0 < text.index("Read numbers off the GPU") < text.index("Remove ignore comments")
