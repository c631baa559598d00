"""Code is written out as `ast.unparse` writes it, chains of calls by what each adds to the call before."""

from __future__ import annotations

import ast

import pytest

from torchlint.syntax.index import build_index
from torchlint.syntax.walk import written


@pytest.mark.parametrize(
    "text",
    [
        "x.add(1).to(x.device).add(y, alpha=2)",
        "f()(1).g(*a, **k)",
        "f().shape.g().T",
        "f()[0].g(lambda: 1).h((yield))",
        "(await f()).g().h((a for a in b), (c := 1), (d, e))",
        "(-a).g().h(not b if c else 'd').i(f'{a}').j()",
        "'a'.join(b).strip().encode('\\n')",
        "_.f()._(_)",
    ],
)
def test_chains_of_calls_are_written_as_python_does(text: str) -> None:
    tree = ast.parse(f"async def program():\n    {text}")
    build_index(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, (ast.Call, ast.Attribute))]

    assert calls
    assert [written(call) for call in calls] == [ast.unparse(call) for call in calls]
