"""Findings that mean harm: names and messages that a terminal, a runner or a browser would obey."""

from __future__ import annotations

from hypothesis import strategies as st

from torchlint.errors import RunError
from torchlint.finding import Cause, Confidence, Edit, Finding, Fix, Severity, Span, Step
from torchlint.report import FileReport

RUNNER = [
    "::error::x",
    "##[error]x",
    "::set-output name=a::b",
    "%0A::stop-commands::t",
    "\r\n::error::",
    "%25",
    ":",
    ",",
    "##vso[task.setvariable variable=a]b",
    "%AZP25",
    "%3B",
    "];=",
]
TERMINAL = ["\x1b[2J", "\x9b31m", "\u202e", "\u2028", "\udcff", "\t", "日本 🎉"]
BROWSER = ["</details><script>", "`</code>`", "&lt;", '"\\']
BAIT = st.sampled_from([*RUNNER, *TERMINAL, *BROWSER, "=", "=="])
TEXT = st.tuples(BAIT, st.text(max_size=6), BAIT).map("".join)
PATH = TEXT.map(lambda text: text.translate({0: "0", ord("/"): "_"})) | st.sampled_from(["src/ b.py", "=.py"])
PLACE = st.tuples(st.integers(1, 9), st.integers(1, 40))


@st.composite
def spans(draw: st.DrawFn) -> Span:
    (line, column), (end_line, end_column) = sorted(draw(st.tuples(PLACE, PLACE)))
    return Span(line, column, end_line, end_column)


STEPS = st.builds(Step, PATH, spans(), TEXT)
FIXES = st.builds(Fix, TEXT, st.lists(st.builds(Edit, spans(), TEXT), max_size=2).map(tuple), st.booleans())
CAUSES = st.builds(Cause, TEXT, TEXT, TEXT, st.sampled_from(["a.py", "b.py"]))
_NONE: st.SearchStrategy[Cause | None] = st.none()
RULES = st.sampled_from(["hardcoded-cuda", "item-in-training-loop", "unreadable-source"])


@st.composite
def findings(draw: st.DrawFn, path: str | None = None, causes: st.SearchStrategy[Cause | None] = _NONE) -> Finding:
    return Finding(
        draw(RULES),
        "group",
        draw(PATH) if path is None else path,
        draw(spans()),
        draw(TEXT),
        draw(st.sampled_from(Severity)),
        draw(st.sampled_from(Confidence)),
        tuple(draw(st.lists(STEPS, max_size=2))),
        draw(st.none() | FIXES),
        cause=draw(causes),
    )


@st.composite
def reports(draw: st.DrawFn, causes: st.SearchStrategy[Cause | None] = _NONE) -> FileReport:
    path = draw(PATH)
    found = sorted(draw(st.lists(findings(path, causes), max_size=2)), key=lambda finding: finding.order)
    errors = st.lists(st.builds(RunError, PATH | st.just(""), st.just("rule-failed"), TEXT), max_size=1)
    lines = draw(st.just([]) | st.lists(TEXT.map(lambda text: text.replace("\n", "")), max_size=9))
    return FileReport(path, tuple(found), tuple(draw(errors)), draw(st.integers(0, 3)), tuple(lines))


@st.composite
def runs_of_one_cause(draw: st.DrawFn) -> list[FileReport]:
    cause = draw(CAUSES)
    return draw(st.lists(reports(st.sampled_from([None, cause])), max_size=2))


RUNS = st.lists(reports(), max_size=2)
GROUPED_RUNS = runs_of_one_cause()
