"""Questions that lead back to themselves are settled, and the order of asking does not show."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import example, given, strategies as st

from torchlint.inference.engine.query import Query
from torchlint.inference.engine.stack import QueryStack
from torchlint.inference.limits import QUERY_DEPTH
from torchlint.project.dependencies import Dependencies
from torchlint.steps import Steps

Graph = dict[int, tuple[int, ...]]


class Reachable:
    """Which nodes of a graph can be reached: each node asks its neighbours."""

    def __init__(self, graph: Mapping[int, tuple[int, ...]]) -> None:
        self.graph = graph
        self.asked = 0
        self.stack = QueryStack(Dependencies(), Steps())
        self.ask: Query[int, frozenset[int]] = Query(self.stack, self._answer, frozenset())

    def _answer(self, node: int) -> frozenset[int]:
        self.asked += 1
        return frozenset({node}).union(*(self.ask(other) for other in self.graph.get(node, ())))


def reachable(graph: Graph, start: int) -> set[int]:
    """Return what can be reached, by another way: walk until nothing new comes up."""
    found, pending = set(), [start]
    while pending:
        if (node := pending.pop()) not in found:
            found.add(node)
            pending += graph.get(node, ())
    return found


def test_an_answer_is_found_once() -> None:
    question = Reachable({1: (2, 3), 2: (3,), 3: ()})

    assert question.ask(1) == {1, 2, 3}
    assert question.ask(1) == {1, 2, 3}
    assert question.asked == 3


def test_a_circle_is_settled() -> None:
    question = Reachable({1: (2,), 2: (3,), 3: (1,)})

    assert question.ask(1) == {1, 2, 3}


def test_what_stays_open_in_a_circle_is_an_answer_that_is_kept() -> None:
    asked: list[int] = []

    def answer(node: int) -> bool | None:
        asked.append(node)
        return truth(3 - node)

    stack = QueryStack(Dependencies(), Steps())
    truth: Query[int, bool | None] = Query(stack, answer, None)
    assert truth(1) is None
    stack.abandon()
    asked.clear()

    assert truth(1) is None
    assert truth(2) is None
    assert asked == []


def test_a_question_first_met_in_a_later_round_takes_no_round_more() -> None:
    asked: list[int] = []

    def answer(node: int) -> frozenset[int]:
        asked.append(node)
        before = reach(2 if node == 1 else 1)
        if node == 2 and before:
            reach(3)
        return before | {node}

    reach: Query[int, frozenset[int]] = Query(QueryStack(Dependencies(), Steps()), answer, frozenset())

    assert reach(1) == {1, 2}
    assert asked == [1, 2, 1, 2, 3]


def test_a_chain_is_cut_before_the_stack_ends() -> None:
    question = Reachable({n: (n + 1,) for n in range(10 * QUERY_DEPTH)})

    assert len(question.ask(0)) == QUERY_DEPTH


@given(st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 6), max_size=3).map(tuple), max_size=7))
def test_what_is_found_is_never_more_than_there_is(graph: Graph) -> None:
    question = Reachable(graph)

    for node in range(7):
        found = question.ask(node)
        assert node in found
        assert found <= reachable(graph, node)


@given(
    st.dictionaries(st.integers(0, 6), st.lists(st.integers(0, 6), max_size=3).map(tuple), max_size=7),
    st.permutations(range(7)),
)
@example({1: (0, 2), 5: (0,), 0: (1,), 2: (1, 5)}, [2, 1, 0, 3, 4, 5, 6])
@example({0: (6,), 1: (3, 5, 1), 2: (3, 0), 3: (1, 6), 5: (2,), 6: (2, 3)}, [1, 0, 2, 4, 5, 3, 6])
def test_after_forgetting_circles_the_order_does_not_show(graph: Graph, order: list[int]) -> None:
    fresh = {node: Reachable(graph).ask(node) for node in range(7)}
    question = Reachable(graph)

    for node in order:
        assert question.ask(node) == fresh[node]
        question.stack.abandon()
