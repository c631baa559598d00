"""Which files may belong to one program: an import in one of them names the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

_IMPORT = re.compile(r"^\s*(?:from|import)\b.*", re.MULTILINE)


def are_related(one: ParsedFile, other: ParsedFile) -> bool:
    """Tell whether two files are one, or either has an import with a name that the other goes by."""
    return one is other or _names(one, other) or _names(other, one)


def _names(one: ParsedFile, other: ParsedFile) -> bool:
    imported = {word for line in _IMPORT.findall(one.code) for word in re.findall(r"\w+", line)}
    return not imported.isdisjoint(other.words)
