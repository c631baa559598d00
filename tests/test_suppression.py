"""Which comments silence what, and which are found fault with."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from textwrap import dedent

import pytest

from torchlint.finding import Confidence, Finding, Severity, Span
from torchlint.fixing.draft import Draft
from torchlint.suppression import suppress

DISABLE = "# torchlint: disable[sync]\n"
WRITE = "write `# torchlint: ignore[rule]`"
REMOVE = "remove it"
UNKNOWN = "unknown rule `{}` ignores nothing"
KNOWN = ("hardcoded-cuda", "device", "item-in-training-loop", "sync", "kept-graph")


def cuda(line: int) -> Finding:
    span = Span(line, 1, line, 5)
    return Finding("hardcoded-cuda", "device", "a.py", span, "raises", Severity.WARNING, Confidence.HIGH)


def heard(text: str, *lines: int, ran: tuple[str, ...] = KNOWN) -> list[int | str]:
    """Return the lines of the findings of `hardcoded-cuda` that remain, and what is said about comments."""
    remaining, suppressed = suppress("a.py", dedent(text), [cuda(line) for line in lines], KNOWN, ran)
    findings = [one for one in remaining if one.rule == "hardcoded-cuda"]
    assert suppressed == len(lines) - len(findings)
    return [one.span.line if one.rule == "hardcoded-cuda" else one.message for one in remaining]


def fault(text: str) -> tuple[int, str, str]:
    """Return the line of the only fault of a file, the text that it points at, and what it says."""
    text = dedent(text)
    (found,), _ = suppress("a.py", text, [], KNOWN, KNOWN)
    assert (found.rule, found.group, found.severity) == ("unused-ignore", "source", Severity.WARNING)
    line = text.split("\n")[found.span.line - 1]
    return found.span.line, line[found.span.column - 1 : found.span.end_column - 1], found.message


def test_a_trailing_ignore_silences_its_line_and_no_other() -> None:
    text = "x.cuda()  # torchlint: ignore[hardcoded-cuda] one machine only\ny.cuda()\n"

    assert heard(text, 1, 2) == [2]


@pytest.mark.parametrize(
    "comment",
    [
        "#torchlint:ignore[hardcoded-cuda]",
        "#  torchlint :  ignore [ hardcoded-cuda , ]",
        "# torchlint: ignore[kept-graph, hardcoded-cuda]",
        "# torchlint: ignore[device]",
        "# type: ignore  # torchlint: ignore[hardcoded-cuda]  # pragma: no cover",
        "# noqa",
        "# NoQA because",
        "# noqa: hardcoded-cuda",
        "# noqa:E501,hardcoded-cuda",
        "# noqa: E501 device",
        "# fmt: skip  # noqa",
    ],
)
def test_spellings_that_silence(comment: str) -> None:
    assert heard(f"x.cuda()  {comment}\n", 1, ran=("hardcoded-cuda",)) == []


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: kept-graph",
        "# noqas",
        "# flake8: noqa",
        "# ignore[device]",
    ],
)
def test_spellings_that_mean_others_are_left_alone(comment: str) -> None:
    assert heard(f"x.cuda()  {comment}\n", 1) == [1]


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_comment_on_any_line_of_a_statement_is_for_the_whole(at: int) -> None:
    lines = ["x = move(", "    y.cuda(),", ")", "z.cuda()"]
    lines[at - 1] += "  # torchlint: ignore[hardcoded-cuda]"

    assert heard("\n".join(lines), 1, 2, 3, 4) == [4]


def test_a_comment_alone_between_brackets_is_for_the_statement_around_it() -> None:
    text = """\
    x = [
        # torchlint: ignore[hardcoded-cuda]
        y.cuda(),
    ]
    z.cuda()
    """

    assert heard(text, 1, 3, 5) == [5]


def test_a_comment_on_its_own_line_is_for_the_next_statement() -> None:
    text = """\
    # torchlint: ignore[hardcoded-cuda] read by nobody else

    # Another comment.
    x = move(
        y.cuda())
    z.cuda()
    """

    assert heard(text, 4, 5, 6) == [6]


def test_of_a_compound_statement_only_the_header_is_silenced() -> None:
    text = """\
    # torchlint: ignore[hardcoded-cuda]
    if (x.cuda() and
            y.cuda()):
        z.cuda()
    while x.cuda():  # noqa
        y.cuda()
    """

    assert heard(text, 2, 3, 4, 5, 6) == [4, 6]


def test_decorators_belong_to_the_header() -> None:
    text = """\
    # torchlint: ignore[hardcoded-cuda]
    @on(device("cuda"))
    @also
    def f(x=device("cuda")):
        x.cuda()
    """

    assert heard(text, 2, 4, 5) == [5]


def test_a_file_ignore_silences_the_whole_file_from_wherever_it_stands() -> None:
    assert heard("x.cuda()\n# torchlint: file-ignore[hardcoded-cuda] GPU tests\ny.cuda()\n", 1, 3) == []


def test_what_is_disabled_stays_so_until_it_is_enabled() -> None:
    text = """\
    a.cuda()
    # torchlint: disable[hardcoded-cuda, kept-graph]
    b.cuda()
    # torchlint: enable[hardcoded-cuda]
    c.cuda()
    """

    assert heard(text, 1, 3, 5, ran=("hardcoded-cuda",)) == [1, 5]


def test_what_is_never_enabled_stays_disabled() -> None:
    assert heard("a.cuda()\n# torchlint: disable[device]\nb.cuda()\n", 1, 3) == [1]


def test_a_comment_inside_a_string_orders_nothing() -> None:
    text = '''\
    x = """
    # torchlint: ignore[hardcoded-cuda]
    """; y.cuda()
    z = "# noqa"; y.cuda()
    '''

    assert heard(text, 3, 4) == [3, 4]


@pytest.mark.parametrize(
    ("text", "line", "pointed_at", "message"),
    [
        ("x  # torchlint: ignore[sync] y\n", 1, "sync", "`sync` ignores nothing here: remove it"),
        ("x  # torchlint: ignore[kept-graph]\n", 1, "kept-graph", "`kept-graph` ignores nothing here: remove it"),
        ("# torchlint: ignore[sync]\n", 1, "sync", "`sync` ignores nothing here: remove it"),
        ("\n# torchlint: file-ignore[sync]", 2, "sync", "`sync` ignores nothing here: remove it"),
        (f"{DISABLE}x\n# torchlint: enable[sync]\n", 1, "sync", "`sync` ignores nothing here: remove it"),
        ("# torchlint: enable[sync]\n", 1, "sync", "`sync` is not disabled here: remove it"),
        ("x  # torchlint: ignore[kept_graf]\n", 1, "kept_graf", f"{UNKNOWN.format('kept_graf')}: write `kept-graph`"),
        ("x  # torchlint: ignore[E501]\n", 1, "E501", f"{UNKNOWN.format('E501')}: `torchlint rules` lists them all"),
        (
            "x  # torchlint: ignore\n",
            1,
            "# torchlint: ignore",
            f"`# torchlint: ignore` ignores nothing as it names no rule: {WRITE}",
        ),
        (
            "x  # torchlint: ignore[ ]\n",
            1,
            "# torchlint: ignore[ ]",
            f"`# torchlint: ignore[ ]` ignores nothing as it names no rule: {WRITE}",
        ),
        (
            "x  # torchlint: ignore[x\n",
            1,
            "# torchlint: ignore[x",
            f"`# torchlint: ignore[x` ignores nothing as its bracket is open: {WRITE}",
        ),
        ("x  # torchlint: ingore[sync]\n", 1, "ingore", f"`# torchlint: ingore[sync]` ignores nothing: {REMOVE}"),
        (
            "x  # torchlint: file_ignore\n",
            1,
            "file_ignore",
            "`# torchlint: file_ignore` ignores nothing: put `# torchlint: file-ignore[rule]` on a line of its own",
        ),
        (f"x  {DISABLE}", 1, DISABLE.strip(), f"`{DISABLE.strip()}` disables nothing within a statement: {REMOVE}"),
    ],
)
def test_a_comment_that_does_nothing_is_told_where_it_stands(
    text: str, line: int, pointed_at: str, message: str
) -> None:
    assert fault(text) == (line, pointed_at, message)


def test_only_the_name_that_ignores_nothing_is_told() -> None:
    assert heard("x.cuda()  # torchlint: ignore[hardcoded-cuda, kept-graph]\n", 1) == [
        "`kept-graph` ignores nothing here: remove it"
    ]


def test_disabling_twice_is_told() -> None:
    text = "# torchlint: disable[device]\nx.cuda()\n# torchlint: disable[device]\n"

    assert heard(text, 2) == ["`device` is disabled already: remove it"]


def test_a_rule_that_did_not_run_is_not_judged() -> None:
    assert heard("x  # torchlint: ignore[kept-graph]\n", ran=("hardcoded-cuda",)) == []


@pytest.mark.parametrize(
    "comment",
    [
        "# torchlint: see the manual",
        "# torchlint is a linter",
        "# torchlint is great",
        "# see torchlint docs: ignore this",
        "# torchlint ignores this line, as it runs on the cluster",
        "# torchlint: ignores whatever it cannot read",
        "# torchlint disabled the cache here once (see the issue)",
        "# torchlint ignore-comments are explained in README[2]",
        "# torchlint's ignore[...] comments",
        "# torchlint.toml: disable nothing",
        "# torchlint_cache: ignore",
        "# torchlint-action: enable it in CI",
        "# torchlint skip connections are fine",
        "# torchlint ignored device placement before 0.2",
        "# torchlint (enable in pre-commit)",
        "# Torchlint, flake8 and mypy: disable none of them",
        "# TORCHLINT",
        "# torchlint:",
        "# torchlint: https://example.org/ignore[1]",
        "# torchlint noqa comments were here",
    ],
)
def test_prose_that_speaks_of_torchlint_is_left_alone(comment: str) -> None:
    assert heard(f"x.cuda()  {comment}\n{comment}\ny.cuda()\n", 1, 3) == [1, 3]


NEAR_MISSES = [
    "# torchlint ignore[hardcoded-cuda]",
    "# torchlint-ignore[hardcoded-cuda]",
    "# torchlint: ignored[hardcoded-cuda]",
    "# torchlint: ingore[hardcoded-cuda]",
    "# Torchlint: Ignore[hardcoded-cuda]",
    "# TORCHLINT: IGNORE[HARDCODED-CUDA]",
    "#torchlint:ignore(hardcoded-cuda)",
    "# torchlint: ignore{hardcoded-cuda}",
    "# torchlint: ignore=hardcoded-cuda",
    "# torchlint: ignore: hardcoded-cuda",
    "# torchlint: ignore hardcoded-cuda",
    "# torchlint ignore hardcoded-cuda",
    "# torchlint: ignore[hardcoded-cuda",
    "# torchlint: ignore[hardcoded-cuda as it must be",
    "# torchlint: ignore[]",
    "# torchlint: ignore",
    "# torchlint ignore",
    "# torchlint: ignore[all]",
    "# torchlint: ignore[*]",
    "# torchlint: ignore[hardcoded_cuda]",
    "# torchlint: ignore[Hardcoded-CUDA]",
    "# torchlint: ignore[hardcoded-cude]",
    "# torchlint: ignore(hardcoded_cuda, kept_graph)",
    "# torchlint: noqa",
    "# torchlint:noqa: hardcoded-cuda",
    "# torchlint: noqa[hardcoded-cuda] why",
    "# torchlint: disable-line[hardcoded-cuda]",
    "# torchlint: disable-next-line=hardcoded-cuda",
    "# torchlint: disable=hardcoded-cuda",
    "# torchlint: file-ignore[hardcoded-cuda]",
    "# torchlint: file_ignore[hardcoded-cuda]",
    "# torchlint: ignore-file[hardcoded-cuda]",
    "# torchlint: skip-file",
    "# type: ignore  # torchlint ignore[hardcoded-cuda] why  # pragma: no cover",
]


@pytest.mark.parametrize("comment", NEAR_MISSES)
def test_a_near_miss_is_told_and_once_it_is_mended_it_silences(comment: str) -> None:
    text = f"x = 1\nif x:\n    y.cuda()  {comment}\nz = 1\n"

    (_, told), suppressed = suppress("a.py", text, [cuda(3)], KNOWN, KNOWN)

    assert suppressed == 0
    assert told.rule == "unused-ignore"
    assert told.fix is not None
    # A range silences later lines as well, which nobody asked for.
    assert told.fix.safe == ("disable=" not in comment)
    after = Draft("a.py", text.encode()).edited(told.fix.edits).decode()
    line = next(number for number, one in enumerate(after.split("\n"), 1) if "y.cuda()" in one)
    assert suppress("a.py", after, [cuda(line)], KNOWN, KNOWN) == ((), 1)
    assert ("why" in comment) == ("why" in after)
    assert ("pragma" in comment) == ("pragma" in after)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x  # torchlint ignore[kept-graph] why\n", "x\n"),
        ("# torchlint: ignore(sync)\nx\n", "x\n"),
        ("x  # torchlint: ignore[kept_graph]\n", "x\n"),
        ("# torchlint: FILE-IGNORE[sync]\nx\n", "x\n"),
        ("x  # torchlint ignore[no-such-rule]\n", "x  # torchlint ignore[no-such-rule]\n"),
        ("# torchlint disable[sync]\nx\n", "x\n"),
    ],
)
def test_a_near_miss_where_nothing_is_found_can_be_removed(text: str, after: str) -> None:
    assert mended(text) == after


def test_a_near_miss_of_a_rule_that_did_not_run_is_kept() -> None:
    (found,), _ = suppress("a.py", "x  # torchlint ignore[kept-graph] why\n", [], KNOWN, ["sync"])

    assert found.fix is not None
    assert found.fix.title == "Write `# torchlint: ignore[kept-graph]`"


def test_what_names_no_rule_where_nothing_is_found_is_removed_by_who_takes_a_second_look() -> None:
    (found,), _ = suppress("a.py", "x  # torchlint: noqa\n", [], KNOWN, KNOWN)

    assert found.fix is not None
    assert not found.fix.safe
    assert found.fix.doubt == "it may be for a rule that did not run"


def test_what_orders_for_the_file_is_moved_out_of_a_statement_with_its_reason() -> None:
    text = "class A:\n    x = move(\n        y.cuda())  # torchlint: disable[hardcoded-cuda] one GPU\n"

    (_, found), _ = suppress("a.py", text, [cuda(3)], KNOWN, KNOWN)

    assert found.fix is not None
    moved = "    # torchlint: disable[hardcoded-cuda] one GPU\n    x = move(\n        y.cuda())\n"
    assert Draft("a.py", text.encode()).edited(found.fix.edits).decode() == f"class A:\n{moved}"


def test_noqa_is_never_judged() -> None:
    assert heard("x  # noqa\ny  # noqa: kept-graph\nz  # noqa: kept_graf\n") == []


def test_every_message_is_short_however_long_the_names_are() -> None:
    long = "tensor-branch-in-training-loop"
    text = f"x  # torchlint: ignore[{'a' * 500}, {long}s]\n"

    told, _ = suppress("a.py", text, [], [long], [long])

    assert len(told) == 2
    assert all(len(finding.message) < 100 for finding in told)


@pytest.mark.parametrize(
    "text", ["x = (\n# torchlint: ignore[sync]\n", "if x:\n  y\n z  # torchlint: ignore[sync]\n", '"""# noqa\n']
)
def test_what_cannot_be_read_to_its_end_is_not_judged(text: str) -> None:
    assert heard(text, 1) == [1]


def mended(text: str) -> str:
    """Return a text without the ignores that can be removed."""
    while True:
        found, _ = suppress("a.py", text, [], KNOWN, KNOWN)
        if (fix := next((one.fix for one in found if one.fix), None)) is None:
            return text
        assert fix.safe
        text = Draft("a.py", text.encode()).edited(fix.edits).decode()


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x  # torchlint: ignore[sync]\ny\n", "x\ny\n"),
        ("x  # torchlint: ignore[sync] as it must be", "x"),
        ("x  # torchlint: ignore[sync, kept-graph,device]\n", "x\n"),
        ("x  # type: ignore  # torchlint: ignore[sync] y\n", "x  # type: ignore\n"),
        ("x  # torchlint: ignore[sync] y # pragma: no cover\n", "x  # pragma: no cover\n"),
        ("    # torchlint: ignore[sync]\nx\n", "x\n"),
        ("f(\n    # torchlint: ignore[sync]\n)\n", "f(\n)\n"),
        ("x\n# torchlint: file-ignore[sync]", "x\n"),
        ("# torchlint: enable[sync]\nx\n", "x\n"),
        (f"{DISABLE}x\n", f"{DISABLE}x\n"),
        (f"{DISABLE}{DISABLE}x\n", f"{DISABLE}x\n"),
        ("x  # noqa: sync\n", "x  # noqa: sync\n"),
    ],
)
def test_what_ignores_nothing_can_be_removed(text: str, after: str) -> None:
    assert mended(text) == after


@pytest.mark.parametrize(
    ("names", "after"),
    [
        ("sync, hardcoded-cuda", "hardcoded-cuda"),
        ("hardcoded-cuda , sync", "hardcoded-cuda"),
        ("sync,device,", "device,"),
    ],
)
def test_what_is_still_ignored_stays(names: str, after: str) -> None:
    text = f"x  # torchlint: ignore[{names}] why"

    (found,), _ = suppress("a.py", text, [cuda(1)], KNOWN, KNOWN)

    assert found.fix is not None
    assert Draft("a.py", text.encode()).edited(found.fix.edits).decode() == f"x  # torchlint: ignore[{after}] why"


@pytest.mark.parametrize("comment", ["# torchlint: disable=hardcoded-cuda", "# torchlint disable[hardcoded-cuda]"])
def test_a_range_is_written_only_by_who_takes_a_second_look(comment: str) -> None:
    (*_, told), _ = suppress("a.py", f"{comment}\nx.cuda()\ny.cuda()\n", [cuda(2), cuda(3)], KNOWN, KNOWN)

    assert told.fix is not None
    assert not told.fix.safe
    assert "all later lines" in told.fix.doubt
    assert told.message == f"`{comment}` ignores nothing: write `# torchlint: disable[hardcoded-cuda]`"


@pytest.mark.parametrize("verb", ["ignore", "file-ignore", "disable"])
def test_a_similar_name_where_nothing_is_found_is_written_by_who_takes_a_second_look(verb: str) -> None:
    text = f"# torchlint: {verb}[kept-graf]\nx\n"

    (found,), _ = suppress("a.py", text, [], KNOWN, KNOWN)

    assert found.fix is not None
    assert not found.fix.safe
    assert Draft("a.py", text.encode()).edited(found.fix.edits).decode() == text.replace("graf", "graph")


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# torchlint ignore[hardcoded-cuda]", "ignores nothing: write `# torchlint: ignore[hardcoded-cuda]`"),
        ("# torchlint: noqa", "ignores nothing: write `# torchlint: ignore[hardcoded-cuda]`"),
        (
            "# torchlint: file-ignore[device]",
            "ignores nothing within a statement: put `# torchlint: file-ignore[device]` on a line of its own",
        ),
    ],
)
def test_a_near_miss_is_quoted_with_what_is_to_be_written(comment: str, message: str) -> None:
    assert heard(f"x.cuda()  {comment}\n", 1)[-1] == f"`{comment}` {message}"


@pytest.mark.parametrize(
    "comments",
    {
        "the same comment n times": lambda n: "# torchlint: ignore[sync]\n" * n + "x\n",
        "one comment with n names": lambda n: f"x  # torchlint: ignore[{'a, ' * n}b]\n",
        "n comments on one line": lambda n: f"x  {'# torchlint: ignore[all] ' * n}\n",
        "n comments without a name": lambda n: "x  # torchlint: noqa\n" * n,
        "n lines that are silenced": lambda n: "x  # torchlint: ignore[hardcoded-cuda]\n" * n,
        "n ranges": lambda n: "# torchlint: disable[device]\nx\n# torchlint: enable[device]\n" * n,
    }.values(),
)
def test_the_work_grows_with_the_number_of_comments(comments: Callable[[int], str]) -> None:
    once, twice = (calls_of(comments(n)) for n in (200, 400))

    assert twice < 2.2 * once


def calls_of(text: str) -> int:
    """Return how many functions are called to compare the comments of a file with a finding in each line."""
    findings = [cuda(line) for line in range(1, text.count("\n") + 1)]
    calls = Counter[str]()
    sys.setprofile(lambda _, event, __: calls.update([event]))
    try:
        suppress("a.py", text, findings, KNOWN, KNOWN)
    finally:
        sys.setprofile(None)
    return calls["call"] + calls["c_call"]
