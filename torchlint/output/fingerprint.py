"""Recognize a finding in another run, although the code around it has moved."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from torchlint.finding import Finding, Span

_SCHEME = "torchlint/v1"
_LENGTH = 32


class Fingerprints:
    """The fingerprints of the findings of a run: no two are the same.

    They are made of the rule, the file and the code, without its spaces and its position. If all that is the same, the
    findings are counted.
    """

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str, str]] = Counter()

    def of(self, finding: Finding, path: str, lines: Sequence[str]) -> str:
        """Return the fingerprint of a finding, given the name of its file for the reader and the file's lines."""
        key = (finding.rule, path, _code(finding.span, lines))
        self._seen[key] += 1
        text = "\0".join((_SCHEME, *key, str(self._seen[key])))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_LENGTH]


def _code(span: Span, lines: Sequence[str]) -> str:
    """Return the lines of a span without any white space."""
    return "".join("".join(lines[span.line - 1 : span.end_line]).split())
