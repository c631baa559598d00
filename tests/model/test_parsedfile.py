"""Positions in text: spans count code points in any text."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import given, strategies as st

from torchlint.model import Place, Project, SourceFile
from torchlint.syntax.walk import parents_within

# Names, strings and comments of any script; what Python takes for the end of a line is left out.
_LETTERS = st.characters(categories=("Lu", "Ll", "Lo", "Sm", "So", "Nd"), exclude_characters="\\'\"")
_STRINGS = st.text(_LETTERS, max_size=6).map(repr)
_NAMES = st.sampled_from(["x", "größe", "модель", "学习率", "ñ", "ﬁ"])


@st.composite
def _expressions(draw: st.DrawFn, depth: int = 3) -> str:
    if depth == 0:
        return draw(st.one_of(_NAMES, _STRINGS))
    inner = _expressions(depth - 1)
    shape = draw(
        st.sampled_from(["{}", "{} + {}", "f({}, größe={})", "{}.item()", "[{}, {}]", "({}\n  ,{})", "{}[{}]"])
    )
    return shape.format(*(draw(inner) for _ in range(shape.count("{}"))))


def _opened(code: str) -> SourceFile:
    return Project(Path("/nowhere")).open(Path("/nowhere/a.py"), "a.py", code.encode())


def _places(file: SourceFile) -> list[Place]:
    return [
        Place(file, node, statement)
        for statement in file.index.home
        for node in parents_within(statement)
        if isinstance(node, ast.expr)
    ]


@given(st.lists(_expressions(), min_size=1, max_size=4))
def test_the_text_at_a_span_is_the_expression(expressions: list[str]) -> None:
    file = _opened("\n".join(f"y = {one}  # größer → ∞" for one in expressions) + "\n")

    for place in _places(file):
        assert place.text == ast.get_source_segment(file.source.text, place.expression)


@given(st.lists(_expressions(), min_size=1, max_size=4))
def test_columns_count_code_points_from_one(expressions: list[str]) -> None:
    file = _opened("\n".join(f"y = {one}" for one in expressions) + "\n")
    lines = file.source.text.split("\n")

    for place in _places(file):
        span = place.span
        assert 1 <= span.column <= len(lines[span.line - 1])
        assert lines[span.line - 1][span.column - 1 :].startswith(place.text.split("\n")[0])
        assert lines[span.end_line - 1][: span.end_column - 1].endswith(place.text.split("\n")[-1])


@given(_expressions())
def test_libcst_reads_the_same_expression(expression: str) -> None:
    file = _opened(f"y = {expression}\n")
    place = file.place(file.tree.body[0].value, file.tree.body[0])  # type: ignore[attr-defined]

    import libcst as cst

    written = cst.Module([]).code_for_node(place.node)

    assert ast.dump(ast.parse(written, mode="eval").body) == ast.dump(place.expression)


def test_other_names_of_a_function_are_found_in_every_scope() -> None:
    file = _opened(
        "from torch import load as read\nimport torch\nfrom functools import partial\n\n"
        "def main():\n    fetch = torch.load\n    near = partial(torch.load, map_location='cpu')\n    other = torch.save\n"
    )

    assert file.words_for(["torch.load"]) == {"load", "read", "fetch", "near"}


def test_what_a_loop_goes_through_has_the_name_of_its_target() -> None:
    file = _opened(
        "for build in (first, second): build()\nkinds = [third]\nfor number, kind in enumerate(kinds): kind()\n"
        "nets = [make() for make in (first, fourth)]\n"
    )

    assert {name: file.words_of(name) for name in ("second", "third", "fourth")} == {
        "second": ("build", "second"),
        "third": ("kind", "kinds[]", "number", "third"),
        "fourth": ("fourth", "make"),
    }


def test_calls_are_found_by_their_full_names(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(
        "import torch\nfrom torch import load as read\nfrom pickle import load\nread(1)\nload(2)\ntorch.load(3)\n"
    )

    calls = Project(tmp_path).open(path, "main.py").calls("torch.load")

    assert [call.text for call in calls] == ["read(1)", "torch.load(3)"]
