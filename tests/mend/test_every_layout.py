"""However a program is laid out, its fixes mean the same and leave the rest alone."""

from __future__ import annotations

import ast
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.mend.fixing import assert_rest_kept, findings_in, mended_in, unmarked
from tests.mend.layouts import Layout, laid_out
from torchlint.registry import builtin_rules

_FIXTURES = Path(__file__).parents[2] / "fixtures"
_MENDED = sorted(path for path in _FIXTURES.glob("*/fixed*.py") if path.parent.name in builtin_rules())
_LAYOUTS = st.builds(
    Layout,
    seed=st.integers(0, 2**32),
    density=st.sampled_from([0.0, 0.1, 0.5]),
    indent=st.sampled_from(["    ", "\t", "  "]),
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    quote=st.sampled_from(['"', "'"]),
    has_trailing_commas=st.booleans(),
    has_last_newline=st.booleans(),
)


@pytest.mark.parametrize("fixed", _MENDED, ids=lambda path: f"{path.parent.name}/{path.stem}")
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(layout=_LAYOUTS)
def test_a_program_is_mended_in_any_layout(fixed: Path, layout: Layout) -> None:
    rule = fixed.parent.name
    bad = unmarked(fixed.with_name(fixed.name.replace("fixed", "bad", 1)).read_text("utf-8"))
    program = laid_out(bad, layout)

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_bytes(program)
        (change,) = mended_in(Path(folder), [rule])
        left = findings_in(Path(folder), change.after, [rule])
        again = mended_in(Path(folder), [rule])

    assert not change.refused
    assert not [finding for finding in left if finding.fix]
    assert not again
    assert meaning(change.after) == ast.dump(ast.parse(fixed.read_text("utf-8")))
    assert change.after.startswith(layout.mark)
    assert_rest_kept(change)


def meaning(program: bytes) -> str:
    return ast.dump(ast.parse(program.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")))
