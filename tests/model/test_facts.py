"""The outcomes of earlier tests that are assumed at a place."""

from __future__ import annotations

from torchlint.model.guards.path_conditions import given_besides

GIVEN = frozenset({("matrix.size == 0", True)})


def test_facts_add_up() -> None:
    assert given_besides(GIVEN, [("args.fast", False)]) == GIVEN | {("args.fast", False)}


def test_what_was_given_first_is_not_contradicted() -> None:
    assert given_besides(GIVEN, [("matrix.size == 0", False)]) == GIVEN


def test_too_many_facts_are_none_more() -> None:
    assert given_besides(GIVEN, [("args.fast", False), ("args.deep", True)]) == GIVEN


def test_the_same_facts_are_one_set() -> None:
    one, other = (given_besides(GIVEN, [("args.fast", holds)]) for holds in (True, True))

    assert one is other
