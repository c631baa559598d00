"""Notebooks on the command line: found, linted, fixed, suppressed, and shown with their cells."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Torchlint
from tests.notebook.notebooks import code, document, lines_of, notebook_of, prose, written
from torchlint.output import FORMATS

_TRAIN = """\
%matplotlib inline
import torch


def train(model, loader, optimizer):
    total = 0
    for x in loader:
        loss = model(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
    return total"""
_CUDA = '%%time\nx = torch.ones(3, device="cuda")'
_ROW = '    "        total += loss\\n",'
_MESSAGE = "`total` keeps the graph of every step in memory; use `loss.detach()`"


@pytest.fixture
def notebook(here: Path) -> Path:
    path = here / "train.ipynb"
    path.write_text(notebook_of(_TRAIN, _CUDA))
    return path


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    class Stdin:
        buffer = io.BytesIO(text.encode())

    monkeypatch.setattr(sys, "stdin", Stdin())


def test_notebooks_are_found_in_folders(here: Path, torchlint: Torchlint) -> None:
    (here / "sub" / ".ipynb_checkpoints").mkdir(parents=True)
    for name in ("sub/a.ipynb", "sub/.ipynb_checkpoints/a-checkpoint.ipynb"):
        (here / name).write_text(notebook_of(_TRAIN))

    ran = torchlint("--output-format", "concise", ".")

    assert ran.out.startswith(f"sub/a.ipynb:cell 2:12:9: kept-graph [*] {_MESSAGE}\nFound 1 finding ")
    assert ran.out.count("kept-graph") == 1


def test_a_finding_is_shown_in_the_lines_of_its_cell(notebook: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--select", "kept-graph", "train.ipynb")

    assert ran.out.startswith(f"""\
error[kept-graph] [*] {_MESSAGE}
  --> train.ipynb:cell 2:12:9
   |
 7 |     for x in loader:
   |              ------ this loop trains
...
12 |         total += loss
   |         ^^^^^
   |
help: Detach the tensor (safe fix)
   |
   -         total += loss
12 +         total += loss.detach()
   |
""")


def test_a_fix_of_several_cells_is_shown_cell_by_cell(notebook: Path, torchlint: Torchlint) -> None:
    ran = torchlint("-q", "--select", "hardcoded-cuda", "train.ipynb")

    assert "  --> train.ipynb:cell 3:2:26\n" in ran.out
    assert "  ::: cell 2\n   |\n 3 +\n" in ran.out
    assert "  ::: cell 3\n   |\n   - x = torch" in ran.out


def test_json_has_the_cell_and_the_line_of_the_file(notebook: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--output-format", "json", "--select", "kept-graph", "train.ipynb")

    (finding,) = json.loads(ran.out)["findings"]
    row = notebook.read_text().split("\n").index(_ROW) + 1
    place = {"cell": 2, "line": 12, "column": 9, "end_line": 12, "end_column": 14, "physical_line": row}
    assert place.items() <= finding.items()
    assert finding["trace"][0]["cell"] == 2
    assert finding["fix"]["edits"] == [
        {"cell": 2, "line": 12, "column": 22, "end_line": 12, "end_column": 22, "text": ".detach()"}
    ]


def test_annotations_are_on_the_line_of_the_file(notebook: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--output-format", "github", "--select", "kept-graph", "train.ipynb")

    row = notebook.read_text().split("\n").index(_ROW) + 1
    assert ran.out.startswith(f"::error file=train.ipynb,line={row},endLine={row},title=torchlint (kept-graph)::")
    assert "::train.ipynb:cell 2:12:9: kept-graph [*]" in ran.out


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_where_in_the_notebook(notebook: Path, torchlint: Torchlint, name: str) -> None:
    ran = torchlint("--output-format", name, "--select", "kept-graph", "train.ipynb")

    row = notebook.read_text().split("\n").index(_ROW) + 1
    assert str(row) in ran.out or "cell 2" in ran.out
    assert "kept-graph" in ran.out


def test_findings_are_counted_by_file(notebook: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--output-format", "concise", "train.ipynb")

    assert "Found 2 findings (1 error, 1 warning) in 1 of 1 file, 0.00 s.\n" in ran.out


def test_reports_of_workers_are_the_same(here: Path, notebook: Path, torchlint: Torchlint) -> None:
    (here / "other.ipynb").write_text(notebook_of(_TRAIN))

    assert torchlint("-q", "-j", "2", ".") == torchlint("-q", "-j", "1", ".")


def test_fixing_changes_one_line_of_the_file(notebook: Path, torchlint: Torchlint) -> None:
    before = notebook.read_text()

    ran = torchlint("--fix", "--select", "kept-graph", "train.ipynb")

    assert ran == Ran(0, "Fixed 1 finding in 1 file.\nAll checks passed (1 file, 0.00 s).\n", "")
    assert notebook.read_text() == before.replace(_ROW, _ROW.replace("+= loss", "+= loss.detach()"))


def test_unsafe_fixes_import_and_define_where_code_is(notebook: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--fix", "--unsafe-fixes", "--select", "hardcoded-cuda", "train.ipynb")

    chosen = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    train = _TRAIN.replace("import torch\n", f"import torch\n\n{chosen}\n")
    assert ran.code == 0
    assert notebook.read_text() == notebook_of(train, _CUDA.replace('"cuda"', "device"))


def test_a_diff_is_one_of_the_file(notebook: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--diff", "--select", "kept-graph", "train.ipynb")

    changed = [line for line in ran.out.split("\n") if line.startswith(("-", "+"))][2:]
    assert changed == [f"-{_ROW}", f"+{_ROW.replace('+= loss', '+= loss.detach()')}"]
    assert ran.code == 1


def test_comments_suppress_in_a_cell_and_in_the_whole_notebook(here: Path, torchlint: Torchlint) -> None:
    line = "        total += loss"
    ignored = _TRAIN.replace(line, f"{line}  # torchlint: ignore[kept-graph] few steps")
    (here / "line.ipynb").write_text(notebook_of(ignored))
    (here / "file.ipynb").write_text(notebook_of("# torchlint: file-ignore[kept-graph]", _TRAIN))

    assert torchlint("-q", ".") == Ran(0, "", "")


def test_a_comment_that_ignores_nothing_is_told_with_its_cell(here: Path, torchlint: Torchlint) -> None:
    (here / "a.ipynb").write_text(notebook_of("import torch", "x = 1  # torchlint: ignore[kept-graph]"))

    ran = torchlint("-q", "--output-format", "concise", "a.ipynb")

    assert ran.out.startswith("a.ipynb:cell 3:1:28: unused-ignore ")
    assert ran.out.endswith("`kept-graph` ignores nothing here: remove it\n")


def test_a_cell_that_python_cannot_parse_is_a_note_with_its_place(here: Path, torchlint: Torchlint) -> None:
    (here / "a.ipynb").write_text(notebook_of("import torch", "!ls\nx = (1,"))

    ran = torchlint("-q", "a.ipynb")

    assert ran.code == 0
    assert "info[unreadable-source] '(' was never closed\n  --> a.ipynb:cell 3:2:5\n   |\n 2 | x = (1," in ran.out


def test_an_exercise_with_blanks_is_one_note_and_a_script_with_one_an_error(here: Path, torchlint: Torchlint) -> None:
    (here / "a.ipynb").write_text(
        notebook_of("import torch", "lr = ", "epochs = \nmodel = torch.nn.Linear(1, 1).cuda(")
    )

    ran = torchlint("--output-format", "concise", "a.ipynb")

    assert ran.code == 0
    first, found, unread = ran.out.splitlines()
    assert first == "a.ipynb:cell 3:1:6: unreadable-source invalid syntax"
    assert found.startswith("Found 1 finding (1 info) in 1 of 1 file")
    assert unread == "note: 1 file could not be read in full: rules may have missed mistakes there"
    assert torchlint("-q", "--fail-on", "info", "a.ipynb").code == 1

    (here / "a.py").write_text("import torch\nlr = \n")

    ran = torchlint("-q", "a.py")

    assert ran.code == 1
    assert ran.out.startswith("error[unreadable-source] invalid syntax\n  --> a.py:2:6\n")


def test_a_cell_with_a_blank_is_left_out_and_the_others_are_linted(here: Path, torchlint: Torchlint) -> None:
    (here / "a.ipynb").write_text(
        notebook_of("import torch", "lr = ", "await x\nmodel = torch.nn.Linear(1, 1).cuda()", "y = (\nmodel.cuda(")
    )
    before = (here / "a.ipynb").read_bytes()

    ran = torchlint("--fix", "--unsafe-fixes", "-q", "--output-format", "concise", "a.ipynb")

    note, found = ran.out.splitlines()
    assert note == "a.ipynb:cell 3:1:6: unreadable-source invalid syntax"
    assert found.startswith("a.ipynb:cell 4:2:9: hardcoded-cuda ")
    assert ran.code == 1
    assert (here / "a.ipynb").read_bytes() == before


def test_await_at_the_top_is_no_mistake(here: Path, torchlint: Torchlint) -> None:
    cell = "import torch\nasync with pool as p:\n    x = await p.run(torch.ones(3))\n[y async for y in x]"
    (here / "a.ipynb").write_text(notebook_of(cell))

    assert torchlint("-q", "a.ipynb") == Ran(0, "", "")


def test_what_is_no_notebook_is_a_finding(here: Path, torchlint: Torchlint) -> None:
    (here / "a.ipynb").write_text('{"cells": [\n  oops\n]}')
    (here / "b.ipynb").write_text(written(document([], nbformat=3)))

    ran = torchlint("-q", "--output-format", "concise", "a.ipynb", "b.ipynb")

    assert ran.code == 1
    first, second = ran.out.splitlines()
    assert first == "a.ipynb:2:3: unreadable-source not a notebook, as it is not valid JSON: expecting value"
    assert second.startswith("b.ipynb:1:1: unreadable-source a notebook of format 3, and only 4 can be read: convert")


def test_a_notebook_in_another_language_is_no_file_that_was_checked(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text("import torch\n")
    (here / "r.ipynb").write_text(written(document([code("library(torch)")], "R")))

    ran = torchlint(".")

    assert ran == Ran(
        0, "All checks passed (1 file, 0.00 s).\n", "note: r.ipynb was not checked: it is a notebook in R\n"
    )
    assert torchlint("-q", ".") == Ran(0, "", "")


def test_several_notebooks_in_other_languages_are_told_in_a_line(here: Path, torchlint: Torchlint) -> None:
    for name, language in (("a", "R"), ("b", "julia"), ("c", "R")):
        (here / f"{name}.ipynb").write_text(written(document([code("using torch")], language)))

    ran = torchlint(".")

    assert ran == Ran(0, "", "note: 3 files were not checked, each of them a notebook in R or a notebook in julia\n")


@pytest.mark.parametrize("text", ["", written(document([])), written(document([prose()]))])
def test_a_notebook_without_code_is_clean(here: Path, torchlint: Torchlint, text: str) -> None:
    (here / "a.ipynb").write_text(text)

    assert torchlint("a.ipynb") == Ran(0, "All checks passed (1 file, 0.00 s).\n", "")


def test_text_of_stdin_is_a_notebook_where_its_name_says_so(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, notebook_of(_TRAIN))

    ran = torchlint("-q", "--output-format", "concise", "--stdin-filename", "new.ipynb", "-")

    assert ran == Ran(1, f"new.ipynb:cell 2:12:9: kept-graph [*] {_MESSAGE}\n", "")


def test_text_of_stdin_is_given_back_mended(here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, notebook_of(_TRAIN))

    ran = torchlint("--fix", "-q", "--stdin-filename", "new.ipynb", "-")

    assert ran.out == notebook_of(_TRAIN.replace("+= loss", "+= loss.detach()"))


def test_broken_text_of_stdin_is_given_back_as_it_is(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, '{"cells": [')

    ran = torchlint("--fix", "-q", "--output-format", "concise", "--stdin-filename", "new.ipynb", "-")

    assert (ran.code, ran.out) == (1, '{"cells": [')
    assert ran.err.startswith("new.ipynb:1:12: unreadable-source not a notebook")


def test_the_story_of_a_finding_leads_through_a_notebook(here: Path, torchlint: Torchlint) -> None:
    step = "    loss = model(x).sum()\n    loss.backward()\n    optimizer.step()\n    return loss.item()\n"
    (here / "lib.py").write_text(f"import torch\n\n\ndef step(model, x, optimizer):\n{step}")
    setup = "import torch\nfrom lib import step\nmodel = torch.nn.Linear(1, 1).cuda()"
    loop = "for x in torch.ones(9, 1, 1).cuda():\n    step(model, x, torch.optim.SGD(model.parameters()))"
    (here / "run.ipynb").write_text(notebook_of(setup, loop))

    ran = torchlint("-q", "--select", "item-in-training-loop", ".")

    assert "\n  --> lib.py:8:12\n" in ran.out
    assert "\n  ::: run.ipynb:cell 3:1:10\n   |\n 1 | for x in " in ran.out


def test_what_a_cell_shows_is_taken_by_its_reader(here: Path, torchlint: Torchlint) -> None:
    def found(*cells: str) -> int:
        (here / "a.ipynb").write_text(notebook_of("import torch\nx = torch.ones(3)", *cells, "print(x)"))
        return torchlint("-q", "--select", "discarded-move", "--output-format", "concise", ".").out.count("\n")

    assert found("x.cpu()") == 0
    assert found("x.cpu();") == 1
    assert found("x.cpu()\nx") == 1
    assert found("if x:\n    x.cpu()") == 1


def test_the_program_of_a_notebook_is_that_of_its_cells_alone(here: Path, torchlint: Torchlint) -> None:
    shown = {"output_type": "stream", "name": "stdout", "text": lines_of(_TRAIN)}
    cells = [prose(_TRAIN), code(lines_of("import torch"), outputs=[shown]), code(lines_of(f"%%bash\n{_TRAIN}"))]
    (here / "a.ipynb").write_text(written(document(cells)))

    assert torchlint("a.ipynb").code == 0


def test_a_baseline_knows_a_finding_wherever_its_cell_goes(here: Path, torchlint: Torchlint) -> None:
    path = here / "a.ipynb"
    path.write_text(notebook_of(_TRAIN))
    torchlint("--baseline", "known.json", "--update-baseline", ".")
    path.write_text(notebook_of("x = 1", _TRAIN, "y = 2"))

    assert torchlint("-q", "--baseline", "known.json", ".") == Ran(0, "", "")


def test_ignores_are_written_into_the_cell(here: Path, torchlint: Torchlint) -> None:
    path = here / "a.ipynb"
    path.write_text(notebook_of(_TRAIN))

    ran = torchlint("-q", "--add-ignore=few steps", ".")

    assert ran.code == 0
    line = "        total += loss"
    assert path.read_text() == notebook_of(_TRAIN.replace(line, f"{line}  # torchlint: ignore[kept-graph] few steps"))


def test_changed_lines_are_those_of_the_file(here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=here, check=True)

    path = here / "a.ipynb"
    path.write_text(notebook_of(_TRAIN, "x = 1"))
    (here / ".git").rmdir()
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "a")
    path.write_text(path.read_text().replace("x = 1", "x = torch.ones(3).cuda()"))

    ran = torchlint("-q", "--diff-base", "HEAD", "--output-format", "concise", ".")

    assert ran.out.startswith("a.ipynb:cell 3:1:5: hardcoded-cuda")
    assert ran.out.count("\n") == 1


def test_people_read_cells_in_every_format_that_is_for_them(notebook: Path, torchlint: Torchlint) -> None:
    grouped, page, junit, summary = (
        torchlint("-q", "--select", "kept-graph", "--output-format", name, "train.ipynb").out
        for name in ("grouped", "html", "junit", "markdown")
    )

    assert grouped.startswith("train.ipynb:\n  cell 2:12:9 kept-graph")
    assert '<p class="place"><code>train.ipynb:cell 2:12:9</code></p>' in page
    assert '<span class="number">12</span>         <mark class="error">total</mark> += loss\n' in page
    assert ">train.ipynb:cell 2:12:9: kept-graph" in junit
    assert "<b>error</b> train.ipynb:cell 2:12:9: <code>kept-graph</code>" in summary


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("gcc", "train.ipynb:{row}:14: error"),
        ("pylint", "train.ipynb:{row}: "),
        ("checkstyle", 'line="{row}" column="14"'),
    ],
)
def test_programs_read_the_line_of_the_file(notebook: Path, torchlint: Torchlint, name: str, place: str) -> None:
    row = notebook.read_text().split("\n").index(_ROW) + 1

    ran = torchlint("--select", "kept-graph", "--output-format", name, "train.ipynb")

    assert place.format(row=row) in ran.out
