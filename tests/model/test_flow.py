"""Which bindings reach a statement, over every compound statement of Python."""

from __future__ import annotations

import ast
from textwrap import dedent, indent

import pytest

from torchlint.syntax.exits import leaves
from torchlint.syntax.index import Index, build_index
from torchlint.syntax.reaching_definitions import at_end, reaching
from torchlint.syntax.scope import Binding


def bound_before_use(body: str, outcomes: dict[str, bool] | None = None) -> set[object]:
    """Return what `x` may be at `use(x)`; "older" if it may hold its value from before the function."""
    index = build_index(ast.parse("def program():\n" + indent(dedent(body), "    ")))
    ((_, statement),) = index.calls("use")
    scope = index.home[statement][0].scope
    found = reaching(
        index, scope.bindings.get("x", ()), statement, lambda test, _: (outcomes or {}).get(ast.unparse(test))
    )
    return {_told(one) for one in found.definitions} | ({"older"} if found.open else set())


def _told(binding: Binding) -> object:
    return binding.value.value if isinstance(binding.value, ast.Constant) else binding.kind


CASES = {
    "the last assignment wins": ("x = 1\nx = 2\nuse(x)", {2}),
    "what comes later does not count": ("x = 1\nuse(x)\nx = 2", {1}),
    "an if may not run": ("""
        x = 1
        if c:
            x = 2
        use(x)
        """, {1, 2}),
    "one of both arms ran": ("""
        x = 1
        if c:
            x = 2
        else:
            x = 3
        use(x)
        """, {2, 3}),
    "an elif leaves the first value": ("""
        x = 1
        if c:
            x = 2
        elif d:
            x = 3
        use(x)
        """, {1, 2, 3}),
    "an arm that returns does not come here": ("""
        x = 1
        if c:
            x = 2
            return
        use(x)
        """, {1}),
    "an arm that raises does not come here": ("""
        x = 1
        if c:
            x = 2
            raise E
        use(x)
        """, {1}),
    "an arm that exits does not come here": ("""
        x = 1
        if c:
            x = 2
            sys.exit(1)
        use(x)
        """, {1}),
    "an arm that skips the test does not come here": ("""
        x = 1
        if c:
            x = 2
            pytest.skip('no')
        use(x)
        """, {1}),
    "the arm in which it stands": ("""
        x = 1
        if c:
            x = 2
            use(x)
        else:
            x = 3
        """, {2}),
    "the other arm did not run": ("""
        x = 1
        if c:
            x = 2
        else:
            use(x)
        """, {1}),
    "a loop may have no round": ("""
        x = 1
        for i in r:
            x = 2
        use(x)
        """, {1, 2}),
    "an earlier round": ("""
        x = 1
        for i in r:
            use(x)
            x = 2
        """, {1, 2}),
    "this round": ("""
        x = 1
        for i in r:
            x = 2
            use(x)
        """, {2}),
    "an earlier round that went on early": ("""
        x = 1
        while c:
            if d:
                x = 2
                continue
            use(x)
        """, {1, 2}),
    "an earlier round that went on early further down": ("""
        x = 1
        while c:
            use(x)
            if d:
                x = 2
                continue
            x = 3
        """, {1, 2, 3}),
    "a round that was broken off does not come back": ("""
        x = 1
        while c:
            use(x)
            if d:
                x = 2
                break
        """, {1}),
    "a round that was broken off goes on after the loop": ("""
        x = 1
        while c:
            if d:
                x = 2
                break
        use(x)
        """, {1, 2}),
    "the loop's own variable": ("x = 1\nfor x in r:\n    use(x)", {"iterate"}),
    "the loop's variable lives on": ("""
        x = 1
        for x in r:
            pass
        use(x)
        """, {1, "iterate"}),
    "the loop's variable in its else": ("""
        x = 1
        for x in r:
            pass
        else:
            use(x)
        """, {1, "iterate"}),
    "what each round binds anew does not outlive it": ("""
        for i in r:
            x = 1
            x = 2
        use(x)
        """, {2, "older"}),
    "what holds where a round is left early": ("""
        for i in r:
            x = 1
            if c:
                break
            x = 2
            if d:
                continue
            x = 3
        use(x)
        """, {1, 2, 3, "older"}),
    "what holds where no round is left early": ("""
        for i in r:
            x = 1
            if c:
                x = 2
                break
        else:
            x = 3
        use(x)
        """, {2, 3}),
    "what a `finally` binds where a round is left early": ("""
        for i in r:
            try:
                if c:
                    x = 1
                    break
            finally:
                if d:
                    x = 2
            x = 3
        use(x)
        """, {1, 2, 3, "older"}),
    "a loop that is never left but by break": ("""
        x = 1
        while True:
            x = 2
            if c:
                break
        use(x)
        """, {2}),
    "a break before the binding": ("""
        x = 1
        while True:
            if c:
                break
            x = 2
        use(x)
        """, {1, 2}),
    "a loop that never runs": ("""
        x = 1
        while 0:
            x = 2
        use(x)
        """, {1, 2}),
    "both loops": ("""
        x = 1
        for i in r:
            for j in r:
                use(x)
            x = 2
        """, {1, 2}),
    "a while's test sees the round before": ("x = 1\nwhile use(x):\n    x = 2", {1, 2}),
    "try or handler": ("""
        try:
            x = 1
        except E:
            x = 2
        use(x)
        """, {1, 2}),
    "a handler that passes": ("""
        x = 1
        try:
            x = 2
        except E:
            pass
        use(x)
        """, {1, 2}),
    "a handler that leaves": ("""
        x = 1
        try:
            x = 2
        except E:
            return
        use(x)
        """, {2}),
    "in a handler any part of the try may have run": ("""
        x = 1
        try:
            x = 2
            f()
            x = 3
        except E:
            use(x)
        """, {1, 2, 3}),
    "in else the whole of the try has run": ("""
        x = 1
        try:
            x = 2
        except E:
            pass
        else:
            use(x)
        """, {2}),
    "in finally anything may have run": ("""
        x = 1
        try:
            x = 2
        except E:
            x = 3
        else:
            x = 4
        finally:
            use(x)
        """, {1, 2, 3, 4}),
    "finally has the last word": ("""
        try:
            x = 1
        except E:
            x = 2
        finally:
            x = 3
        use(x)
        """, {3}),
    "what the handler binds": ("""
        x = 1
        try:
            f()
        except E as x:
            use(x)
        """, {"except"}),
    "what another handler binds": ("""
        x = 1
        try:
            f()
        except E as x:
            pass
        except F:
            use(x)
        """, {1}),
    "with binds": ("x = 1\nwith f() as x:\n    use(x)", {"enter"}),
    "a with's body always runs": ("""
        x = 1
        with f():
            x = 2
        use(x)
        """, {2}),
    "a with that suppresses may break off": ("""
        x = 1
        with suppress(E):
            x = 2
        use(x)
        """, {1, 2}),
    "match arms": ("""
        x = 1
        match v:
            case 1:
                x = 2
            case 2:
                x = 3
        use(x)
        """, {1, 2, 3}),
    "a catch-all arm": ("""
        x = 1
        match v:
            case 1:
                x = 2
            case _:
                x = 3
        use(x)
        """, {2, 3}),
    "a capture": ("""
        x = 1
        match v:
            case [x, y]:
                use(x)
        """, {"match"}),
    "a capture of another arm": ("""
        x = 1
        match v:
            case [x, y]:
                pass
            case _:
                use(x)
        """, {1}),
    "a capture lives on": ("""
        x = 1
        match v:
            case {'k': x}:
                pass
        use(x)
        """, {1, "match"}),
    "a walrus in a test": ("x = 1\nif (x := 2):\n    use(x)", {2}),
    "a walrus in a while": ("x = 1\nwhile (x := 2):\n    use(x)", {2}),
    "a walrus in the statement before": ("x = 1\nprint(x := 2)\nuse(x)", {2}),
    "augmented": ("x = 1\nx += 2\nuse(x)", {2}),
    "nothing before": ("use(x)\nx = 1", {"older"}),
    "perhaps nothing before": ("if c:\n    x = 1\nuse(x)", {"older", 1}),
}  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_what_may_hold_is_what_can_have_run_last(body: str, expected: set[object]) -> None:
    assert bound_before_use(body) == expected


def test_a_test_whose_outcome_is_known_cuts_the_other_arm() -> None:
    body = "x = 1\nif c:\n    x = 2\nelse:\n    x = 3\nuse(x)"

    assert bound_before_use(body, {"c": True}) == {2}
    assert bound_before_use(body, {"c": False}) == {3}


def test_a_parameter_holds_until_it_is_bound_again() -> None:
    index = build_index(ast.parse("def program(x):\n    if c:\n        x = 1\n    use(x)"))
    ((_, statement),) = index.calls("use")

    found = reaching(index, index.home[statement][0].scope.bindings["x"], statement, lambda *_: None)

    assert [_told(one) for one in found.definitions] == [1, "parameter"]
    assert not found.open


def test_what_a_function_binds_as_global_may_hold_anywhere_in_the_file() -> None:
    index = build_index(ast.parse("x = 1\ndef build():\n    global x\n    x = 2\nbuild()\nuse(x)"))
    ((_, statement),) = index.calls("use")

    found = reaching(index, index.scope.bindings["x"], statement, lambda *_: None)

    assert {_told(one) for one in found.definitions} == {1, 2}


def ends_with(code: str, name: str = "x") -> set[object]:
    """Return what a name may be when the file, or its only function, has run."""
    index = build_index(ast.parse(dedent(code)))
    return _at_end(index, name)


def _at_end(index: Index, name: str) -> set[object]:
    scope = index.scopes[-1] if len(index.scopes) == 2 else index.scope
    found = at_end(index, scope, name, lambda *_: None)
    return {_told(one) for one in found.definitions} | ({"older"} if found.open else set())


END_CASES = {
    "the last one": ("x = 1\nx = 2", {2}),
    "a file that exits": ("x = 1\nsys.exit(main())", {1}),
    "a file that exits in a try": ("""
        x = 1
        try:
            x = 2
            sys.exit(main())
        except E:
            sys.exit(2)
        """, {1, 2}),
    "a function that returns": ("def f():\n    x = 1\n    return x", {1}),
    "a function that returns early": ("""
        def f():
            x = 1
            if c:
                x = 2
                return
            x = 3
        """, {2, 3}),
    "a function that returns from either arm": ("""
        def f():
            if c:
                x = 1
                return 1
            else:
                x = 2
                return 2
        """, {1, 2}),
    "a function that returns from a with": ("""
        def f():
            x = 1
            with g():
                x = 2
                return x
        """, {2}),
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), END_CASES.values(), ids=END_CASES)
def test_at_the_end_is_what_holds_wherever_the_scope_is_left(code: str, expected: set[object]) -> None:
    assert ends_with(code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("return", True),
        ("raise E", True),
        ("exit()", True),
        ("os._exit(1)", True),
        ("print(1)", False),
        ("if c:\n    return\nelse:\n    raise E", True),
        ("if c:\n    return", False),
        ("with f():\n    return", True),
        ("with contextlib.suppress(E):\n    return f()", False),
        ("try:\n    return\nexcept E:\n    raise", True),
        ("try:\n    return\nexcept E:\n    pass", False),
        ("try:\n    f()\nfinally:\n    return", True),
        ("for i in r:\n    return", False),
        ("while True:\n    f()", True),
        ("while True:\n    if c:\n        break", False),
    ],
)
def test_a_statement_leaves_when_control_cannot_pass_it(code: str, expected: bool) -> None:
    index = build_index(ast.parse("for _ in o:\n  def program():\n" + indent(code, "    ")))
    statement = index.scopes[-1].node.body[0]

    assert leaves(statement, index) is expected


def test_what_continues_bring_back_is_up_to_who_asks_where_tests_decide_it() -> None:
    body = """
        x = 1
        for i in range(3):
            use(x)
            if c:
                x = 2
            if d:
                continue
            x = 3
    """
    index = build_index(ast.parse(dedent(body)))
    ((_, statement),) = index.calls("use")
    bindings = index.scope.bindings["x"]

    unsure = reaching(index, bindings, statement, lambda test, _: None)
    sure = reaching(index, bindings, statement, lambda test, _: False)

    assert {_told(one) for one in unsure.definitions} == {1, 2, 3}
    assert {_told(one) for one in sure.definitions} == {1, 3}
