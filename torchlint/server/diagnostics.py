"""Findings as an editor shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lsprotocol import types as lsp

from torchlint.files.regular import read_regular
from torchlint.finding import Finding, Severity, Span, Step
from torchlint.notices import UNUSED_IGNORE
from torchlint.output.place import told_beside
from torchlint.output.rule_links import at_hand
from torchlint.server.documents import Documents
from torchlint.server.projects import Checked
from torchlint.server.text import Text
from torchlint.source import UnreadableSourceError, read_source

NAME = "torchlint"
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFO: lsp.DiagnosticSeverity.Information,
}
# Shown faded in the editor, as it could be removed.
_UNNECESSARY = frozenset({UNUSED_IGNORE})


class Diagnostics:
    """Makes diagnostics of findings; `documents` are the other open files, `encoding` is the unit of columns."""

    def __init__(self, documents: Documents, encoding: str, *, tells_stories: bool, links: bool = False) -> None:
        self._documents = documents
        self._encoding = encoding
        self._tells_stories = tells_stories
        self._links = links

    def by_uri(self, checked: Checked) -> Mapping[str, list[lsp.Diagnostic]]:
        """Return the diagnostics of a file, by the URI of their buffer."""
        found: dict[str, list[lsp.Diagnostic]] = {buffer.uri: [] for buffer in checked.document.buffers}
        for finding in checked.shown:
            place = checked.document.location(finding.span)
            found[place.uri].append(self.of(finding, checked))
        return found

    def of(self, finding: Finding, checked: Checked) -> lsp.Diagnostic:
        """Return a finding as a diagnostic."""
        page = at_hand(finding.rule, checked.planned.site) if self._links else ""
        return lsp.Diagnostic(
            range=checked.document.location(finding.span).range,
            message=finding.message,
            severity=_SEVERITIES[finding.severity],
            code=finding.rule,
            code_description=lsp.CodeDescription(page) if page else None,
            source=NAME,
            tags=[lsp.DiagnosticTag.Unnecessary] if finding.rule in _UNNECESSARY else None,
            related_information=list(self._story((*finding.trace, *told_beside(finding)), checked))
            if self._tells_stories
            else None,
        )

    def _story(self, trace: Iterable[Step], checked: Checked) -> Iterator[lsp.DiagnosticRelatedInformation]:
        for step in trace:
            path = Path.cwd() / step.path
            place = checked.document.location(step.span) if path == checked.document.path else self._at(path, step.span)
            yield lsp.DiagnosticRelatedInformation(place, step.words)

    def _at(self, path: Path, span: Span) -> lsp.Location:
        """Return a position in another file, as the editor or the disk has it."""
        if (document := self._documents.holding(path)) is not None:
            return document.location(span)
        try:
            text = read_source(str(path), read_regular(path)).text
        except (OSError, UnreadableSourceError):
            # Deleted since it was linted: any column is as good.
            text = ""
        return lsp.Location(path.as_uri(), Text(text, self._encoding).range(span))
