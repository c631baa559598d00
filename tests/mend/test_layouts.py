"""In any layout of a call, a fix changes what it must and keeps the rest: comments, newlines, trailing commas."""

from __future__ import annotations

import ast
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings, strategies as st

from tests.mend.fixing import findings_in, mended_bytes

# White space between two tokens inside brackets.
_GAPS = st.sampled_from(["", " ", "\n", "\n\t", "  # a ( comment\n", "\n\n    ", " \\\n "])
_INDENTS = st.sampled_from(["    ", "\t", "  "])
_NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])
_FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def calls(draw: st.DrawFn) -> str:
    """Return a move of a tensor to the GPU, in some layout."""

    def gap() -> str:
        return draw(_GAPS)

    comma = draw(st.sampled_from(["", ","]))
    forms = (
        f"x{gap()}.{gap()}cuda({gap()})",
        f"x.cuda({gap()}non_blocking{gap()}={gap()}True{gap()}{comma}{gap()})",
        f"x.cuda({gap()}0{gap()},{gap()}True{gap()}{comma})",
        f"x.cuda({gap()}device{gap()}={gap()}'cuda'{gap()}{comma})",
        f"x.to({gap()}'cuda:0'{gap()}{comma}{gap()})",
        f"x.to({gap()}device{gap()}={gap()}torch.device({gap()}'cuda'{gap()}){gap()}{comma})",
        f"torch.ones({gap()}3{gap()},{gap()}device{gap()}={gap()}'cuda'{gap()}{comma})",
    )
    return draw(st.sampled_from(forms))


@st.composite
def programs(draw: st.DrawFn) -> bytes:
    """Return a program that asks for CUDA in some layout."""
    indent, newline = draw(_INDENTS), draw(_NEWLINES)
    body = "".join(f"{indent}y = ({call})\n" for call in draw(st.lists(calls(), min_size=1, max_size=3)))
    head = draw(
        st.sampled_from(["", '"""What it does."""\n', "from __future__ import annotations\n", "# 日本\n\x0c\n"])
    )
    text = f"{head}import os\nimport torch\n\n\ndef move(x):\n{body}{indent}return y\n"
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return mark + draw(st.sampled_from([text, text.rstrip("\n")])).replace("\n", newline).encode()


@_FEW
@given(programs())
def test_a_program_is_mended_in_any_layout(program: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        mended = mended_bytes(Path(folder), program, ["hardcoded-cuda"])

        assert findings_in(Path(folder), mended, ["hardcoded-cuda"]) == ()
        assert mended_bytes(Path(folder), mended, ["hardcoded-cuda"]) == mended
    text = mended.decode("utf-8-sig")
    ast.parse(text.replace("\r\n", "\n").replace("\r", "\n"))
    assert text.count("torch.cuda.is_available()") == 1
    assert mended.startswith(b"\xef\xbb\xbf") is program.startswith(b"\xef\xbb\xbf")
    assert (b"\r\n" in mended, b"\r" in mended) == (b"\r\n" in program, b"\r" in program)
    assert_untouched(program, mended)


def assert_untouched(before: bytes, after: bytes) -> None:
    """Assert that the lines around the calls are there as they were."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    assert head_of(old) == [line for line in head_of(new) if b"is_available" not in line]
    assert old[-1] == new[-1]


def head_of(lines: list[bytes]) -> list[bytes]:
    """Return the lines up to the function that are not blank."""
    first = next(number for number, line in enumerate(lines) if b"def move" in line)
    return [line for line in lines[: first + 1] if line.strip()]
