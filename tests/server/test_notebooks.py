"""Notebooks in an editor: cells that are texts by themselves, and one program."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from lsprotocol import types as lsp

from tests.server.editor import Editor, Start, abilities
from torchlint.server.text import Text

pytestmark = pytest.mark.asyncio

IMPORTS = "%matplotlib inline\nimport torch"
CALLS = 'print("🎉"); model = torch.nn.Linear(1, 1).cuda()'


@dataclass(frozen=True, slots=True)
class Cells:
    """A notebook that is open in an editor."""

    editor: Editor
    uri: str

    def cell(self, number: int) -> str:
        """Return the URI of a cell."""
        return f"vscode-notebook-cell:{self.uri.removeprefix('file:')}#{number}"

    def change(self, version: int, cells: lsp.NotebookDocumentCellChanges) -> None:
        """Tell the server of a change."""
        identifier = lsp.VersionedNotebookDocumentIdentifier(version, self.uri)
        change = lsp.NotebookDocumentChangeEvent(cells=cells)
        self.editor.client.notebook_document_did_change(lsp.DidChangeNotebookDocumentParams(identifier, change))


def opened(editor: Editor, *texts: str) -> Cells:
    """Open a notebook with some cells of code; those that begin with a hash sign and a space are Markdown."""
    notebook = Cells(editor, editor.uri("train.ipynb"))
    cells, items = [], []
    for number, text in enumerate(texts):
        is_code = not text.startswith("# ")
        kind = lsp.NotebookCellKind.Code if is_code else lsp.NotebookCellKind.Markup
        cells.append(lsp.NotebookCell(kind, notebook.cell(number)))
        language = "python" if is_code else "markdown"
        items.append(lsp.TextDocumentItem(notebook.cell(number), language, 1, text))
    document = lsp.NotebookDocument(notebook.uri, "jupyter-notebook", 1, cells)
    editor.client.notebook_document_did_open(lsp.DidOpenNotebookDocumentParams(document, items))
    return notebook


async def test_a_finding_is_in_its_cell(start: Start) -> None:
    notebook = opened(editor := await start(), "# Training", IMPORTS, CALLS)

    imports = await editor.told(notebook.cell(1))
    calls = await editor.told(notebook.cell(2))

    assert imports.diagnostics == []
    assert calls.rules == ["hardcoded-cuda"]
    assert calls.diagnostics[0].range.start == lsp.Position(0, len('print("🎉"); model = ') + 1)


async def test_a_change_of_one_cell_is_seen_in_the_others(start: Start) -> None:
    editor = await start(abilities(pulls=True))
    notebook = opened(editor, IMPORTS, CALLS)
    before = await editor.pull(notebook.cell(1))

    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(1, len("import torch")))
    identifier = lsp.VersionedTextDocumentIdentifier(2, notebook.cell(0))
    guarded = "import torch\nif not torch.cuda.is_available():\n    raise SystemExit"
    change = lsp.TextDocumentContentChangePartial(whole, guarded)
    notebook.change(
        2, lsp.NotebookDocumentCellChanges(text_content=[lsp.NotebookDocumentCellContentChanges(identifier, [change])])
    )

    assert [one.code for one in before] == ["hardcoded-cuda"]
    assert await editor.pull(notebook.cell(1)) == []


async def test_cells_come_and_go(start: Start) -> None:
    editor = await start(abilities(pulls=True))
    notebook = opened(editor, IMPORTS, CALLS)

    fresh = lsp.NotebookCell(lsp.NotebookCellKind.Code, notebook.cell(7))
    array = lsp.NotebookCellArrayChange(start=1, delete_count=1, cells=[fresh])
    item = lsp.TextDocumentItem(notebook.cell(7), "python", 1, f"\n{CALLS}")
    structure = lsp.NotebookDocumentCellChangeStructure(
        array, did_open=[item], did_close=[lsp.TextDocumentIdentifier(notebook.cell(1))]
    )
    notebook.change(2, lsp.NotebookDocumentCellChanges(structure=structure))

    (one,) = await editor.pull(notebook.cell(7))
    assert one.range.start.line == 1
    assert await editor.pull(notebook.cell(1)) == []


async def test_a_fix_may_be_about_several_cells(start: Start) -> None:
    editor = await start()
    notebook = opened(editor, "# Training", IMPORTS, CALLS)

    fix, ignore = await editor.actions(notebook.cell(2), 0, 30)

    texts = {notebook.cell(1): IMPORTS, notebook.cell(2): CALLS}
    for uri, one in edits_of(fix):
        part = lsp.TextDocumentContentChangePartial(one.range, one.new_text)
        texts[uri] = Text(texts[uri], "utf-16").changed([part]).text
    ((uri, one),) = edits_of(ignore)
    assert "torch.device(" in texts[notebook.cell(1)]
    assert texts[notebook.cell(2)].endswith("Linear(1, 1).to(device)")
    assert (uri, one.new_text.strip()) == (notebook.cell(2), f"{CALLS}  # torchlint: ignore[hardcoded-cuda]")


def edits_of(action: lsp.CodeAction) -> list[tuple[str, lsp.TextEdit]]:
    """Return the edits of an action, from the last one up, as an editor makes them."""
    assert action.edit is not None
    changes = [one for one in action.edit.document_changes or () if isinstance(one, lsp.TextDocumentEdit)]
    edits = [(one.text_document.uri, edit) for one in changes for edit in one.edits if isinstance(edit, lsp.TextEdit)]
    return sorted(edits, key=lambda one: (one[1].range.start.line, one[1].range.start.character), reverse=True)


async def test_a_whole_notebook_is_fixed_by_a_kind_of_its_own(start: Start) -> None:
    editor = await start()
    trains = "for batch in batches:\n    loss = model(batch).mean()\n    loss.backward()\n    optimizer.step()"
    notebook = opened(editor, "import torch\ntotal = 0.0", f"{trains}\n    total += loss")

    (action,) = await editor.actions(notebook.cell(1), 0, 0, ["notebook.source.fixAll"])

    assert action.kind == "notebook.source.fixAll.torchlint"
    ((uri, one),) = edits_of(action)
    assert (uri, one.new_text) == (notebook.cell(1), "\n    total += loss.detach()")


async def test_a_name_in_a_cell_shows_the_page_of_the_rule(start: Start) -> None:
    editor = await start()
    notebook = opened(editor, IMPORTS, f"{CALLS}  # torchlint: ignore[hardcoded-cuda]")

    page = await editor.hover(notebook.cell(1), 0, len(CALLS) + 1 + len("  # torchlint: ignore[hard"))

    assert page.startswith("**hardcoded-cuda**: ")


async def test_a_closed_notebook_shows_nothing_any_more(start: Start) -> None:
    editor = await start()
    notebook = opened(editor, IMPORTS, CALLS)
    await editor.told(notebook.cell(1))

    identifiers = [lsp.TextDocumentIdentifier(notebook.cell(number)) for number in range(2)]
    params = lsp.DidCloseNotebookDocumentParams(lsp.NotebookDocumentIdentifier(notebook.uri), identifiers)
    editor.client.notebook_document_did_close(params)

    assert (await editor.told(notebook.cell(1))).diagnostics == []
