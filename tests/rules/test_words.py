"""Messages stand alone, and everything that users read is in the words of PyTorch's documentation and of ruff."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click
import pytest

from tests.rules.linted import findings_of
from tests.rules.shown import FILE, all_shown
from torchlint.cli.command import torchlint
from torchlint.engine.notices import NOTICES, EngineNotice
from torchlint.finding import Finding
from torchlint.registry import BUILTIN, builtin_rules
from torchlint.testing import Case, cases

RULES = builtin_rules()
COMMANDS = {"torchlint": torchlint, **torchlint.commands}
LONGEST = 160
QUOTED = 40
# Words that only this project would use, each with the one that everybody knows beside it.
HOUSE_WORDS = {
    r"mend(s|ed|ing)?": "fix",
    r"rounds?": "iteration",
    r"told( of)?|tells?": "reported, shown",
    r"go(es)? by": "use",
    r"left alone|leaves? alone": "not reported",
    r"nobody|anybody|somebody|whoever": "no one, any code, the caller",
    r"by hand": "manually",
    r"heed(s|ed)?": "used",
    r"(?<!created )(?<!creates )anew": "again",
    r"where there is (no|one)": "without, if there is one",
    r"as \w+ do(es)?\b(?! (not|what))": "like",
    r"one's own": "custom",
    r"now and then": "every N steps",
    r"kin\b": "similar",
}
_HOUSE = re.compile(rf"\b({'|'.join(HOUSE_WORDS)})\b", re.IGNORECASE)
# What a message may be about besides the code that it quotes first.
_NOUNS = ("the ", "gradients ", "assigning ", "device ")
each_case = pytest.mark.parametrize("case", cases(BUILTIN, "bad"), ids=str)
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


@each_case
def test_a_message_is_one_sentence_that_stands_alone(case: Case) -> None:
    for message in {finding.message for finding in findings_of(case)}:
        assert message.startswith(("`", *_NOUNS)), message
        assert message.count("`") in range(2, 9, 2), message
        assert re.search(r"\S; \S", message), message
        assert not message.endswith("."), message
        assert _length(message) <= LONGEST, message


def _length(message: str) -> int:
    """Return how long a message is where the code that it begins with is as long as such code may be."""
    code = re.match(r"`[^`]*`", message)
    return len(message) if code is None else len(message) - len(code[0]) + QUOTED + len("``")


@each_case
def test_a_finding_has_no_house_words(case: Case) -> None:
    assert [text for finding in findings_of(case) for text in _said(finding) if _HOUSE.search(_prose(text))] == []


@each_case
def test_a_fix_that_is_not_safe_says_what_to_look_at(case: Case) -> None:
    fixes = [finding.fix for finding in findings_of(case) if finding.fix]

    assert [fix.title for fix in fixes if fix.safe is bool(fix.doubt)] == []


def _said(finding: Finding) -> Iterator[str]:
    """Yield all that a finding says."""
    yield finding.message
    yield from (step.words for step in finding.trace)
    if finding.fix is not None:
        yield from (finding.fix.title, finding.fix.doubt)


def _prose(text: str) -> str:
    """Return a text without the code in it."""
    return re.sub(r"`[^`]*`", "", text)


@each_rule
def test_a_page_has_no_house_words(rule: type) -> None:
    page = _prose(inspect.cleandoc(rule.__doc__ or ""))

    assert [found[0] for found in _HOUSE.finditer(page)] == []


@pytest.mark.parametrize("notice", NOTICES, ids=lambda notice: notice.name)
def test_the_page_of_a_notice_has_no_house_words(notice: EngineNotice) -> None:
    page = _prose(f"{notice.summary} {notice.page}")

    assert [found[0] for found in _HOUSE.finditer(page)] == []


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_help_has_no_house_words(command: click.Command) -> None:
    words = command.get_help(click.Context(command, info_name=command.name, **torchlint.context_settings))

    assert [found[0] for found in _HOUSE.finditer(_prose(words))] == []


def test_messages_look_as_they_were_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)

    shown = all_shown()

    assert shown == FILE.read_text("utf-8"), "run `python -m tests.rules.shown`, and read what changes"
