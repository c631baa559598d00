"""The fixed programs of the rules are what torchlint makes of the bad ones."""

from __future__ import annotations

import pytest

from torchlint.registry import BUILTIN, builtin_rules
from torchlint.testing import Case, cases

_FIXED = cases(BUILTIN, "fixed")


@pytest.mark.parametrize("fixed", _FIXED, ids=str)
def test_a_bad_program_is_mended_to_the_letter(fixed: Case) -> None:
    assert fixed.twin("bad").fixed() == fixed.texts()


@pytest.mark.parametrize("fixed", _FIXED, ids=str)
def test_a_mended_program_has_nothing_left_to_mend(fixed: Case) -> None:
    assert not [finding for finding in fixed.findings() if finding.fix]
    assert fixed.fixed() == fixed.texts()


@pytest.mark.parametrize("rule", sorted(builtin_rules()))
def test_a_rule_that_mends_shows_how(rule: str) -> None:
    bad = [case for case in cases(BUILTIN, "bad") if case.rule.name == rule]

    fixes = [finding.fix for case in bad for finding in case.findings() if finding.fix]

    assert bool(fixes) == any(case.rule.name == rule for case in _FIXED)
