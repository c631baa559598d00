"""The options of a rule are of the types of their defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import pytest

from torchlint import Confidence, Finding, Rule, Severity, SourceFile
from torchlint.config.decoding import decode_options
from torchlint.config.entry import Entry, Mistake
from torchlint.rule import OptionValue


class SlowStep(Rule):
    """Take no step that is slow."""

    severity = Severity.INFO
    confidence = Confidence.LOW
    words = ()
    option_defaults: ClassVar[Mapping[str, OptionValue]] = {
        "max-depth": 3,
        "in-tests": False,
        "clock": "wall",
        "loaders": ("DataLoader",),
    }

    def check(self, file: SourceFile) -> Iterator[Finding]:
        yield from ()


def decoded(table: dict[str, object]) -> tuple[Mapping[str, OptionValue], list[str]]:
    mistakes: list[Mistake] = []
    options = decode_options(Entry(("rules", "slow-step"), table, mistakes), SlowStep)
    return options, [mistake.message for mistake in mistakes]


def test_options_are_taken_as_they_are_written() -> None:
    table: dict[str, object] = {"max-depth": 0, "in-tests": True, "clock": "", "loaders": ["A", "B"]}

    options, mistakes = decoded(table)

    assert options == {"max-depth": 0, "in-tests": True, "clock": "", "loaders": ("A", "B")}
    assert mistakes == []


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("max_depth", 3, "`slow-step` has no option `max_depth`; did you mean `max-depth`?"),
        ("zzz", 3, "`slow-step` has no option `zzz`; there are max-depth, in-tests, clock, loaders"),
        ("max-depth", True, "`rules.slow-step.max-depth` must be an integer, got a boolean"),
        ("max-depth", 1.5, "`rules.slow-step.max-depth` must be an integer, got a float"),
        ("in-tests", 1, "`rules.slow-step.in-tests` must be true or false, got an integer"),
        ("clock", 1, "`rules.slow-step.clock` must be a string, got an integer"),
        ("loaders", "A", "`rules.slow-step.loaders` must be a list of strings, got a string"),
        ("loaders", ["A", 1], "`rules.slow-step.loaders[1]` must be a string, got an integer"),
    ],
)
def test_an_option_that_the_rule_cannot_take_is_refused(name: str, value: object, told: str) -> None:
    _, mistakes = decoded({name: value})

    assert mistakes == [told]
