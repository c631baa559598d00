"""Findings as results of SARIF: their positions, traces, fingerprints and fixes."""

from __future__ import annotations

import os
import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from torchlint.finding import Finding, Fix, Severity, Span, Step
from torchlint.output.fingerprint import Fingerprints
from torchlint.output.place import told_beside
from torchlint.output.quotation import Quotations
from torchlint.output.records import Record
from torchlint.output.repository import in_repository
from torchlint.output.settings import OutputSettings
from torchlint.terminal.text import encodable, printable

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
# A colon in the first part of a path would make a scheme of it.
_SAFE = "/@+$,;=!*'()~&-._"
_LONGEST_SNIPPET = 1000
# Of the hash of a line.
_WINDOW = 100
_BASE = 37
_SIZE = 1 << 64
_END = "\uffff"
_SPACES = re.compile("[ \t]")


class Results:
    """The findings of a run as results; the name and the index of their rule are added where all rules are known."""

    def __init__(self, out: OutputSettings) -> None:
        self._out = out
        self._fingerprints = Fingerprints()
        self._quotations = Quotations(out.cwd)
        self._hashes = LineHashes(())
        self._hashed: Sequence[str] = ()

    def of(self, finding: Finding, lines: Sequence[str]) -> Record:
        """Return a finding, given the lines of its file."""
        location = self._location(finding.path, finding.span, lines)
        result: Record = {
            "level": LEVELS[finding.severity],
            "message": _sentence(finding.message),
            "locations": [location],
            "partialFingerprints": self._known_by(finding, lines),
            "properties": {"confidence": finding.confidence.value, "group": finding.group},
        }
        steps = [self._told(step, finding, lines) for step in finding.trace]
        others = [self._told(step, finding, lines) for step in told_beside(finding)]
        if steps or others:
            result["relatedLocations"] = [{"id": number, **place} for number, place in enumerate([*steps, *others], 1)]
        if steps:
            here = {**location, "message": _sentence(finding.message)}
            result["codeFlows"] = [{"threadFlows": [{"locations": [{"location": place} for place in (*steps, here)]}]}]
        if finding.fix and finding.fix.edits:
            result["fixes"] = [self._fix(finding.fix, finding.path)]
        return result

    def _told(self, step: Step, finding: Finding, lines: Sequence[str]) -> Record:
        quoted = lines if step.path == finding.path else self._quotations.lines(step.path)
        return {**self._location(step.path, step.span, quoted), "message": _sentence(step.words)}

    def _known_by(self, finding: Finding, lines: Sequence[str]) -> Record:
        known: Record = {}
        if finding.span.line <= len(lines):
            known["primaryLocationLineHash"] = self._hash(finding.span.line, lines)
        path = in_repository(finding.path, self._out)
        return known | {"torchlint/v1": self._fingerprints.of(finding, path, lines)}

    def _hash(self, line: int, lines: Sequence[str]) -> str:
        """Return the hash of a line; those of a file are kept for its next finding."""
        if self._hashed is not lines:
            self._hashed, self._hashes = lines, LineHashes(lines)
        return self._hashes.of(line)

    def _location(self, path: str, span: Span, lines: Sequence[str]) -> Record:
        region = _region(span)
        if snippet := _snippet(span, lines):
            region["snippet"] = {"text": encodable(snippet)}
        return {"physicalLocation": {"artifactLocation": self._artifact(path), "region": region}}

    def _artifact(self, path: str) -> Record:
        """Return a file: by its path from the root of the repository, or by its URI if it is outside."""
        name = in_repository(path, self._out)
        if not name.startswith(("/", "../")):
            return {"uri": _uri(name), "uriBaseId": "%SRCROOT%"}
        place = Path(os.path.normpath(Path(os.path.realpath(self._out.cwd), path)))
        return {"uri": f"file://{_uri(place.as_posix())}"}

    def _fix(self, fix: Fix, path: str) -> Record:
        replacements = [
            {"deletedRegion": _region(edit.span), "insertedContent": {"text": encodable(edit.text)}}
            for edit in fix.edits
        ]
        return {
            "description": _sentence(fix.title),
            "artifactChanges": [{"artifactLocation": self._artifact(path), "replacements": replacements}],
            "properties": {"applicability": "safe" if fix.safe else "unsafe"},
        }


def _sentence(text: str) -> Record:
    return {"text": f"{printable(text)}."}


def _region(span: Span) -> Record:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _snippet(span: Span, lines: Sequence[str]) -> str:
    """Return the code of a span, empty if it is not available or too long to be read."""
    if not span.line <= span.end_line <= len(lines):
        return ""
    *head, last = lines[span.line - 1 : span.end_line]
    text = "\n".join([*head, last[: span.end_column - 1]])[span.column - 1 :]
    return text if len(text) <= _LONGEST_SNIPPET else ""


def _uri(path: str) -> str:
    return quote(os.fsencode(path), safe=_SAFE)


class LineHashes:
    """The hashes by which GitHub's code scanning recognizes lines of a file after the lines above have changed.

    CodeQL defined them (`fingerprints.ts` in github/codeql-action): a rolling hash to the base of 37 over the hundred
    UTF-16 units from the beginning of the line, without spaces and tabs, and how many lines before had the same one.
    One is computed at its first use.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        seen: Counter[str] = Counter()
        self._windows: list[tuple[str, int]] = []
        for window in _windows(lines):
            seen[window] += 1
            self._windows.append((window, seen[window]))

    def of(self, line: int) -> str:
        """Return the hash of a line by its number."""
        window, occurrence = self._windows[line - 1]
        return f"{_hash(window):x}:{occurrence}"


def _windows(lines: Sequence[str]) -> Iterator[str]:
    """Yield the beginning of each line, and what follows it if the line is short."""
    text = _SPACES.sub("", "\n".join(lines)) + _END
    start = 0
    for _ in lines:
        # A character is one unit or two, so that these are enough.
        yield text[start : start + _WINDOW]
        start = text.find("\n", start) + 1


def _hash(window: str) -> int:
    """Return the hash of a window, as if zeros followed the end of the file."""
    data = window.encode("utf-16-le", "surrogatepass")
    units = struct.unpack(f"<{len(data) // 2}H", data)[:_WINDOW]
    value = 0
    for unit in (*units, *[0] * (_WINDOW - len(units))):
        value = (_BASE * value + unit) % _SIZE
    return value
