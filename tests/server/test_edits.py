"""Whatever is typed into open files, the server reports what a run without a past does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings, strategies as st
from lsprotocol import types as lsp

from tests.cache.test_property import _LINES, _PROJECTS
from torchlint.cli.serving import planned
from torchlint.engine import lint_edited
from torchlint.report import FileReport
from torchlint.server.documents import Documents
from torchlint.server.projects import Projects

# Where in a project, which of its files, what is done there, and where in the file.
_steps = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from([*_LINES, "<delete>", "<close>", "<comment>"]), st.floats(0, 0.999)),
    min_size=1,
    max_size=6,
)


class Editor:
    """An editor of one project, with the server's own linters."""

    def __init__(self, root: Path) -> None:
        self.paths = sorted(root.rglob("*.py"))
        self.projects = Projects(planned)
        self.documents = Documents("utf-16")

    def change(self, number: int, what: str, where: float) -> None:
        """Open a file, or change what is open."""
        path = self.paths[number % len(self.paths)]
        document = self.documents.at(path.as_uri())
        lines = (document.program if document is not None else path.read_text("utf-8")).split("\n")
        at = int(where * len(lines))
        if what == "<close>":
            self.documents.closed(path.as_uri())
            return
        if what == "<delete>":
            del lines[at]
        elif what == "<comment>":
            lines[at] += "  # a word more"
        else:
            lines.insert(at, what)
        self.documents.opened(lsp.TextDocumentItem(path.as_uri(), "python", 1, "\n".join(lines)))

    def reports(self) -> dict[Path, FileReport]:
        """Return the report of each open file, the last changed first."""
        documents = self.documents.as_they_are()
        checked = (self.projects.checked(one, documents) for one in documents.newest_first())
        return {one.document.path: one.report for one in checked if one is not None}

    def reports_anew(self) -> dict[Path, FileReport]:
        """Return the report of each open file, each by a linter of its own."""
        found = {}
        for document in self.documents.newest_first():
            plan = planned(document.path)
            assert plan is not None
            edited = self.documents.around(plan.job.root)
            job = replace(plan.job, targets=(plan.target,), named=frozenset(edited))
            reports: list[FileReport] = []
            lint_edited(job, edited, reports.append)
            found[document.path] = plan.counted(reports[0])
        return found


def copied(projects: Sequence[Path], root: Path) -> None:
    (root / ".git").mkdir(parents=True)
    for number, project in enumerate(projects):
        for path in project.rglob("*.py"):
            place = root / ("" if number == 0 else "lib") / path.name
            place.parent.mkdir(exist_ok=True)
            place.write_text(path.read_text("utf-8"), "utf-8")


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(start=st.sampled_from(_PROJECTS), other=st.sampled_from(_PROJECTS), steps=_steps)
def test_edited_files_are_reported_as_if_they_were_linted_anew(
    start: Path, other: Path, steps: Sequence[tuple[int, str, float]]
) -> None:
    with TemporaryDirectory() as scratch:
        root = Path(scratch).resolve() / "project"
        copied((start, other), root)
        editor = Editor(root)
        for step in steps:
            editor.change(*step)

            assert editor.reports() == editor.reports_anew()
