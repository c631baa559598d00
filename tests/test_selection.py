"""Names, groups and `all` choose the rules that run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from torchlint.errors import UsageError
from torchlint.registry import builtin_rules
from torchlint.selection import chosen_rules, covers, known_names

ALL = set(builtin_rules())
SYNC = {name for name, rule in builtin_rules().items() if rule.group == "sync"}
DEFAULT = {name for name, rule in builtin_rules().items() if rule.default}


def names(select: Sequence[str] | None, ignore: Sequence[str] = ()) -> set[str]:
    return {rule.name for rule in chosen_rules(select, ignore, {})}


@pytest.mark.parametrize(
    ("select", "ignore", "chosen"),
    [
        (None, [], DEFAULT),
        (None, ["sync"], DEFAULT - SYNC),
        (None, ["hardcoded-cuda"], DEFAULT - {"hardcoded-cuda"}),
        ([], [], set()),
        (["all"], [], ALL),
        (["sync"], [], SYNC),
        (["sync", "hardcoded-cuda"], [], SYNC | {"hardcoded-cuda"}),
        (["sync"], ["kept-graph"], SYNC - {"kept-graph"}),
        (["all"], ["sync"], ALL - SYNC),
        (["sync"], ["all"], set()),
        (["sync"], ["sync"], set()),
        # A rule that is selected by its name is meant, whatever its group.
        (["kept-graph"], ["sync"], {"kept-graph"}),
        (["kept-graph", "all"], ["sync"], ALL - SYNC | {"kept-graph"}),
        (["kept-graph"], ["all"], {"kept-graph"}),
        (["kept-graph"], ["kept-graph"], set()),
        (["kept-graph"], ["sync", "kept-graph"], set()),
        # What torchlint reports by itself is no rule.
        (["source"], ["unused-ignore"], set()),
    ],
)
def test_the_most_exact_name_wins_and_ignoring_wins_over_selecting(
    select: Sequence[str] | None, ignore: Sequence[str], chosen: set[str]
) -> None:
    assert names(select, ignore) == chosen


def test_rules_come_by_name_and_once() -> None:
    rules = [rule.name for rule in chosen_rules(["kept-graph", "sync", "all", "kept-graph"], [], {})]

    assert rules == sorted(ALL)


def test_a_rule_is_given_its_options() -> None:
    (rule,) = chosen_rules(["kept-graph"], [], {"kept-graph": {"depth": 2}, "hardcoded-cuda": {"depth": 3}})

    assert rule.options["depth"] == 2


def test_every_unknown_name_is_told_with_the_nearest_one() -> None:
    with pytest.raises(UsageError) as refused:
        chosen_rules(["hardcoded_cud", "sync", "TL101", "TL101"], ["snyc"], {})

    assert refused.value.lines == (
        "unknown rule `hardcoded_cud` in --select; did you mean `hardcoded-cuda`?",
        "unknown rule `TL101` in --select; `torchlint rules` lists them all",
        "unknown rule `snyc` in --ignore; did you mean `sync`?",
    )


def test_what_torchlint_reports_by_itself_can_be_named() -> None:
    assert {"unused-ignore", "unreadable-source", "source", "all"} <= set(known_names())


def test_a_name_covers_a_rule_its_group_or_all() -> None:
    assert covers(["kept-graph"], "kept-graph", "sync")
    assert covers(["sync"], "kept-graph", "sync")
    assert covers(["all"], "kept-graph", "sync")
    assert not covers(["device", "hardcoded-cuda"], "kept-graph", "sync")
