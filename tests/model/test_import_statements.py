"""The import statements of a program are those of its tree, whatever the text around them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from torchlint.project.import_statements import import_statements, imports_said

_ROOT = Path(__file__).parents[2]
_PROGRAMS = [path.read_bytes() for part in ("torchlint", "fixtures") for path in sorted((_ROOT / part).rglob("*.py"))]
_ODD = (
    "import a, b.c as d; from . import e",
    "try: import a\nexcept ImportError: from b import c as a",
    "from a import (  # one (and another)\n    b,\n    c as d,  # import e\n)",
    "from a \\\n    import b, \\\n    c",
    "from.a import b\nfrom ... import c\nfrom .. .d import(e)",
    '"""\nimport a\nfrom b import c\n"""\nimport d',
    "x = 'import a'  # import b\nx = '\\\\'; import c",
    'def f():\n    """It\'s here."""\n    import a\n    yield from a\n    import b',
    "raise ValueError from error\nimport a",
    "from a import *\nif x:\n\timport b\n",
    "import_a = important; reimport = 1",
    "import a\r\nfrom b import c\r\n",
)


def _in_tree(program: bytes) -> list[str]:
    statements = (node for node in ast.walk(ast.parse(program)) if isinstance(node, (ast.Import, ast.ImportFrom)))
    return [ast.dump(one) for one in sorted(statements, key=lambda one: (one.lineno, one.col_offset))]


@pytest.mark.parametrize("text", _ODD)
def test_they_are_those_of_the_tree(text: str) -> None:
    assert list(map(ast.dump, import_statements(text.encode()))) == _in_tree(text.encode())


def test_they_are_those_of_the_tree_in_programs() -> None:
    assert len(_PROGRAMS) > 500
    for program in _PROGRAMS:
        assert list(map(ast.dump, import_statements(program))) == _in_tree(program)


def test_those_that_nobody_can_read_are_left_out() -> None:
    assert list(map(ast.dump, import_statements(b"import a\nimport\nimport b.\nfrom c import d"))) == _in_tree(
        b"import a\nfrom c import d"
    )


def test_nothing_else_says_what_is_imported() -> None:
    before = b"import a\n\ndef f(x):\n    from b import c\n    return c(x)\n"

    assert imports_said(before) == imports_said(before.replace(b"c(x)", b"c(x) + 1"))
    assert imports_said(before) != imports_said(before.replace(b"import c", b"import d"))
    assert imports_said(before) != imports_said(before + b"sys.path.append('lib')\n")
