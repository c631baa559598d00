"""The import statements of a program, read from its text: to know what imports what, nothing is parsed.

It is loaded only if something is looked up: a clean file does not need it.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.comments import TEXT
from torchlint.project.contents import adds_folders

if TYPE_CHECKING:
    from torchlint.syntax.binding import Importing

# `import` is a keyword: outside strings and comments it is always an import statement.
_FOLDED = r"\\\r?\n"
_IMPORT = re.compile(
    rf"(?s){TEXT}|#[^\r\n]*"
    rf"|\b(?:from(?P<module>(?:[ \t.\w]|{_FOLDED})*?))?\bimport\b"
    rf"(?P<names>[ \t]*\((?:[^)#]|#[^\n]*)*\)|(?:[^\r\n;#\\]|{_FOLDED})*)"
)


def import_statements(data: bytes) -> tuple[Importing, ...]:
    """Return the import statements of a program, in source order, without those that Python cannot read."""
    written = _written(data)
    try:
        return _parsed("\n".join(written))
    except SyntaxError:
        return tuple(one for text in written for one in _readable(text))


def _readable(text: str) -> tuple[Importing, ...]:
    try:
        return _parsed(text)
    except SyntaxError:
        return ()


def _parsed(text: str) -> tuple[Importing, ...]:
    return tuple(one for one in ast.parse(text).body if isinstance(one, (ast.Import, ast.ImportFrom)))


def imports_said(data: bytes) -> bytes:
    """Return what determines which files a program imports, as long as these are where they are."""
    return "\n".join((*_written(data), str(adds_folders(data)))).encode("utf-8", "surrogatepass")


def _written(data: bytes) -> list[str]:
    """Return the import statements of a program as they are written, each on one line or in brackets."""
    text = data.decode("utf-8", "replace")
    found = (match.group("module", "names") for match in _IMPORT.finditer(text) if match["names"] is not None)
    return [_statement(module, _on_one_line(names)) for module, names in found]


def _statement(module: str | None, names: str) -> str:
    return f"import {names}" if module is None else f"from {_on_one_line(module)} import {names}"


def _on_one_line(text: str) -> str:
    return re.sub(_FOLDED, " ", text).strip()
