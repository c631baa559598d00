"""Whatever is done to a project between two runs, the second one says what a run without a cache would say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.cache.body_edits import KINDS, edited
from tests.engine.projects import job_of, linted
from torchlint.cache import Folder, lint_cached
from torchlint.engine import Job
from torchlint.report import FileReport

_FIXTURES = Path(__file__).parents[2] / "fixtures"
_PROJECTS = [_FIXTURES / "demo-project", *sorted(_FIXTURES.glob("*/*_project"))]
_TEXTS = [path.read_text("utf-8") for project in _PROJECTS for path in sorted(project.rglob("*.py"))]
# What files are called that the others import, and what they may come to be in.
_NAMES = sorted({path.name for project in _PROJECTS for path in project.rglob("*.py")})
_PLACES = [*_NAMES, "__init__.py", "lib/__init__.py", *(f"lib/{name}" for name in _NAMES), "build/model.py"]
_LINES = [
    "x = 1",
    "import torch.nn as nn",
    "from model import *",
    "from lib import model",
    "import sys; sys.path.append('lib')",
    "net = nn.DataParallel(net)",
    "torch.cuda.set_device(1)",
    "os.environ['CUDA_VISIBLE_DEVICES'] = '1'",
    "parser.add_argument('--device', default='cuda')",
    "def main(): pass",
    "main()",
    "class Model(Net): pass",
    "from model import Net as Model",
    "        super().__init__()",
    "    @property",
    "    loss.backward()",
    "save(model)  # torchlint: ignore",
    "# it isn't model.cuda()",
    "# torchlint: ignore-file",
    "",
    "(",
]

Edit = Callable[[Path], None]


def written(place: str, text: str) -> Edit:
    def edit(root: Path) -> None:
        path = root / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")

    return edit


def removed(place: str) -> Edit:
    return lambda root: (root / place).unlink(missing_ok=True)


def with_line(place: str, line: str, where: float) -> Edit:
    def edit(root: Path) -> None:
        path = root / place
        lines = path.read_text("utf-8").split("\n") if path.exists() else []
        lines.insert(int(where * len(lines)), line)
        written(place, "\n".join(lines))(root)

    return edit


def with_comment(place: str, comment: str, where: float) -> Edit:
    def edit(root: Path) -> None:
        path = root / place
        lines = path.read_text("utf-8").split("\n") if path.exists() else [""]
        lines[int(where * len(lines))] += comment
        written(place, "\n".join(lines))(root)

    return edit


def without_line(place: str, where: float) -> Edit:
    def edit(root: Path) -> None:
        path = root / place
        lines = path.read_text("utf-8").split("\n") if path.exists() else [""]
        del lines[int(where * len(lines))]
        written(place, "\n".join(lines))(root)

    return edit


def with_edit(file: float, kind: int, where: float, other: float) -> Edit:
    def edit(root: Path) -> None:
        paths = sorted(root.rglob("*.py"))
        path = paths[int(file * len(paths))]
        path.write_text(edited(path.read_text("utf-8"), kind, where, other), "utf-8")

    return edit


def untouched(root: Path) -> None:
    """Change nothing."""


_places = st.sampled_from(_PLACES)
_where = st.floats(0, 1, exclude_max=True)
_COMMENTS = ["  # of all ranks", "  # torchlint: ignore", " # x.cuda()", "  # noqa: E501", " \\"]
_edits = st.one_of(
    st.builds(written, _places, st.sampled_from(_TEXTS)),
    st.builds(removed, _places),
    st.builds(with_line, _places, st.sampled_from(_LINES), _where),
    st.builds(with_comment, _places, st.sampled_from(_COMMENTS), _where),
    st.builds(without_line, _places, _where),
    st.just(untouched),
)
_rounds = st.lists(st.lists(_edits, max_size=2), min_size=1, max_size=4)


def cached(job: Job, folder: Folder) -> list[FileReport]:
    reports: list[FileReport] = []
    lint_cached([(job, folder)], 1, reports.append)
    return sorted(reports, key=lambda report: report.path)


_inside = st.builds(with_edit, _where, st.integers(0, len(KINDS) - 1), _where, _where)
_later = st.lists(st.lists(_inside, min_size=1, max_size=2), min_size=2, max_size=6)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(start=st.sampled_from(_PROJECTS), other=st.sampled_from(_PROJECTS), rounds=_rounds | _later)
def test_a_run_with_a_cache_says_what_one_without_says(
    start: Path, other: Path, rounds: Sequence[Sequence[Edit]]
) -> None:
    with TemporaryDirectory() as scratch:
        root, folder = Path(scratch, "project"), Folder(Path(scratch, "cache"))
        root.mkdir()
        for project, place in ((start, ""), (other, "lib/")):
            for path in project.rglob("*.py"):
                written(f"{place}{path.name}", path.read_text("utf-8"))(root)
        cached(job_of(root), folder)
        for edits in rounds:
            for edit in edits:
                edit(root)
            job = job_of(root)

            assert cached(job, folder) == linted(job)


def test_what_a_finding_assumes_is_kept(tmp_path: Path) -> None:
    root, folder = tmp_path / "project", Folder(tmp_path / "cache")
    written("keep.py", "import torch\n\n\ndef save(net, path):\n    self.net = self.net.cuda()\n")(root)
    written("other.py", "import torch\n\n\ndef load(path):\n    return torch.load(path)\n")(root)
    cached(job_of(root), folder)

    with_line("other.py", "    zz = 1", 0.7)(root)
    reports = cached(job_of(root), folder)

    assert reports == linted(job_of(root))
    assert any(step.is_assumed for step in reports[0].findings[0].trace)


def test_a_method_that_becomes_a_property_makes_its_readers_new(tmp_path: Path) -> None:
    root, folder = tmp_path / "project", Folder(tmp_path / "cache")
    root.mkdir()
    written("train.py", _TRAINING)(root)
    written("meter.py", _METER)(root)
    before = cached(job_of(root), folder)

    with_line("meter.py", "    @property", 0.3)(root)
    after = cached(job_of(root), folder)

    assert [len(report.findings) for report in (*before, *after)] == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("edit", "again"),
    [
        (with_line("meter.py", "# of a batch", 0.5), []),
        (with_line("meter.py", "", 0.5), []),
        (with_comment("meter.py", "  # of a batch", 0.5), []),
        (with_comment("meter.py", "  # torchlint: ignore", 0.5), ["meter.py"]),
        (with_comment("train.py", "  # for every batch", 0.5), ["train.py"]),
        (with_line("meter.py", "    size = 1", 0.5), ["meter.py", "train.py"]),
    ],
)
def test_what_only_changed_beside_its_code_changes_no_report_but_its_own(
    edit: Edit, again: list[str], tmp_path: Path
) -> None:
    root, folder = tmp_path / "project", Folder(tmp_path / "cache")
    root.mkdir()
    written("train.py", _TRAINING)(root)
    written("meter.py", _METER)(root)
    with_line("train.py", "    print(loss.item())", 1)(root)
    cached(job_of(root), folder)

    edit(root)

    noted = lint_cached([(job_of(root), folder)], 1, lambda _: None)
    assert sorted(Path(one.report.path).name for one in noted) == again


def test_a_step_of_another_report_moves_with_its_line(tmp_path: Path) -> None:
    root, folder = tmp_path / "project", Folder(tmp_path / "cache")
    root.mkdir()
    written("train.py", _TRAINING.replace("meter.mean", "meter.mean()"))(root)
    written("meter.py", _METER)(root)
    before = cached(job_of(root), folder)

    with_line("train.py", "# before all else", 0)(root)

    assert cached(job_of(root), folder) == linted(job_of(root)) != before


_METER = """\
class Meter:
    # of all batches
    def mean(self):
        return self.total.item()
    def update(self, value):
        self.total = value"""
_TRAINING = """\
import torch
from meter import Meter
meter = Meter()
device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Linear(2, 2).to(device)
for x in torch.utils.data.DataLoader([]):
    loss = model(x.to(device)).sum()
    loss.backward()
    meter.update(loss.detach())
    print(meter.mean)
"""
