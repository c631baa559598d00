"""Actions for findings in an editor: fix one, ignore one, make all safe fixes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lsprotocol import types as lsp

from torchlint.finding import Finding
from torchlint.notices import NOTICES
from torchlint.server.cells import OpenNotebook
from torchlint.server.client import Client
from torchlint.server.diagnostics import Diagnostics
from torchlint.server.document import Buffer
from torchlint.server.documents import Documents
from torchlint.server.fixes import with_comment, with_safe_fixes
from torchlint.server.projects import Checked

_QUICK_FIX = lsp.CodeActionKind.QuickFix.value
FIX_ALL = "source.fixAll.torchlint"
# Requested for a notebook as a whole, by one of its cells.
_FIX_NOTEBOOK = "notebook.source.fixAll.torchlint"
KINDS = (_QUICK_FIX, FIX_ALL, _FIX_NOTEBOOK)


class Actions:
    """Makes actions for a client; `documents` are its open files."""

    def __init__(self, client: Client, documents: Documents, diagnostics: Diagnostics) -> None:
        self._client = client
        self._documents = documents
        self.diagnostics = diagnostics

    def offered(self, checked: Checked, asked: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Return the actions for the findings in a range, and for all those of its file."""
        found: list[lsp.CodeAction] = []
        if _wanted(_QUICK_FIX, asked.context.only):
            here = [finding for finding in checked.report.findings if self._touches(checked, finding, asked)]
            found += [action for finding in here for action in self._about(checked, finding)]
        if any(one.fix and one.fix.safe for one in checked.report.findings):
            kinds = (FIX_ALL, _FIX_NOTEBOOK) if isinstance(checked.document, OpenNotebook) else (FIX_ALL,)
            kind = next((kind for kind in kinds if _wanted(kind, asked.context.only)), None)
            found += [self._fix_all(checked, kind)] if kind else []
        return found

    def edit_for_all(self, checked: Checked) -> lsp.WorkspaceEdit:
        """Return the edit that makes every safe fix of a file."""
        unsaved = self._documents.around(checked.planned.job.root)
        return self._edit(checked.document.text_edits_to(with_safe_fixes(checked, unsaved)))

    def _about(self, checked: Checked, finding: Finding) -> Iterator[lsp.CodeAction]:
        shown = next((one for one in checked.shown if (one.span, one.rule) == (finding.span, finding.rule)), None)
        # What is shown with another finding has no diagnostic, and can be fixed and ignored all the same.
        diagnostics = [self.diagnostics.of(shown, checked)] if shown is not None else []
        if finding.fix is not None and (edits := checked.document.text_edits(finding.fix.edits)):
            title = finding.fix.title if finding.fix.safe else f"{finding.fix.title} (unsafe fix)"
            yield self._action(title, diagnostics, edits, is_preferred=finding.fix.safe)
        if finding.rule not in NOTICES and (data := with_comment(checked, finding)) is not None:
            yield self._action(
                f"Ignore `{finding.rule}` on this line", diagnostics, checked.document.text_edits_to(data)
            )

    def _action(
        self,
        title: str,
        diagnostics: list[lsp.Diagnostic],
        edits: Mapping[Buffer, list[lsp.TextEdit]],
        *,
        is_preferred: bool = False,
    ) -> lsp.CodeAction:
        return lsp.CodeAction(
            title,
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=diagnostics or None,
            is_preferred=is_preferred or None,
            edit=self._edit(edits),
        )

    def _fix_all(self, checked: Checked, kind: str) -> lsp.CodeAction:
        action = lsp.CodeAction("Fix all that torchlint can fix safely", kind=kind)
        if self._client.resolves_edits:
            action.data = {"uri": checked.document.uri}
        else:
            action.edit = self.edit_for_all(checked)
        return action

    def _edit(self, edits: Mapping[Buffer, list[lsp.TextEdit]]) -> lsp.WorkspaceEdit:
        if not self._client.knows_versions:
            return lsp.WorkspaceEdit(changes={buffer.uri: made for buffer, made in edits.items()})
        changes = [
            lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(buffer.uri, buffer.version), [*made])
            for buffer, made in edits.items()
        ]
        return lsp.WorkspaceEdit(document_changes=[*changes])

    def _touches(self, checked: Checked, finding: Finding, asked: lsp.CodeActionParams) -> bool:
        place = checked.document.location(finding.span)
        return (
            place.uri == asked.text_document.uri
            and place.range.start <= asked.range.end
            and asked.range.start <= place.range.end
        )


def _wanted(kind: str, only: Sequence[lsp.CodeActionKind | str] | None) -> bool:
    """Tell whether a kind is one of those requested, or below one of them."""
    if only is None:
        return True
    asked = (one.value if isinstance(one, lsp.CodeActionKind) else one for one in only)
    return any(kind == one or kind.startswith(f"{one}.") for one in asked)
