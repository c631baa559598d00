"""Facts about a project: what depends on one depends on its answer alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.projects import job_of, linted
from torchlint.cache import Folder, lint_cached
from torchlint.project.dependencies import OUTSIDE, Dependencies
from torchlint.project.facts import Fact, Facts, stale_with
from torchlint.report import FileReport

_TRAIN = """\
import torch
from loops import fit
model = torch.nn.Linear(2, 2).to("cuda" if torch.cuda.is_available() else "cpu")
fit(model, torch.optim.SGD(model.parameters()), torch.utils.data.DataLoader([]))
"""
_LOOPS = """\
def fit(model, optimizer, loader):
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
"""
_SHOWN = """\
import torch
def shown(x):
    for part in x:
        print(torch.ones(3, device="cpu").item())
"""


def test_what_asks_for_a_fact_depends_on_the_answer_alone() -> None:
    dependencies = Dependencies()
    facts = Facts(dependencies, 4)

    def ask() -> bool:
        dependencies.current |= 0b1010
        return True

    for _ in range(2):
        dependencies.current = 0b0001
        assert facts.told(("asked", "x.py"), ask)
        assert facts.parts(dependencies.current) == (0b0001, 0, (("asked", "x.py"),))
    assert facts.since(0) == (Fact(("asked", "x.py"), True, 0b1010, 0),)


def test_a_fact_about_more_than_the_project_is_none() -> None:
    dependencies = Dependencies()
    facts = Facts(dependencies, 4)

    def ask() -> bool:
        dependencies.current |= OUTSIDE << 4
        return True

    assert facts.told(("asked", ""), ask)
    assert (dependencies.current >> 4, len(facts)) == (OUTSIDE, 0)


def test_a_fact_is_stale_with_those_it_depends_on() -> None:
    first, second, third = (("first", ""), ("second", ""), ("third", ""))
    facts = [Fact(second, True, 0, 0, (first,)), Fact(third, True, 0, 0, (second,)), Fact(first, True, 1, 0)]

    assert stale_with(facts, {first}) == {first, second, third}
    assert stale_with(facts, {second}) == {second, third}


def test_an_edit_that_leaves_what_trains_makes_no_other_report_anew(tmp_path: Path) -> None:
    root, folder = _project(tmp_path)

    anew = _edited(root, folder, _LOOPS.replace("        loss.backward", "        zz = 1\n        loss.backward"))

    assert "shown.py" not in anew
    assert "loops.py" in anew


def test_what_trains_in_a_file_is_found_where_another_one_calls_it_in_a_loop(tmp_path: Path) -> None:
    root, folder = _project(tmp_path)

    again = _LOOPS.replace("        loss.backward", "        shown(x)\n        loss.backward")
    anew = _edited(root, folder, f"from shown import shown\n{again}")

    assert "shown.py" in anew


@pytest.mark.parametrize(
    "name",
    [
        "other.module:attribute",
        "torchlint.model.training.what_trains:Training",
        "torchlint.__main__:main",
        "torchlint.model.training.what_trains:TrainsIn",
    ],
)
def test_an_answer_in_the_cache_that_is_not_so_makes_no_report_valid(tmp_path: Path, name: str) -> None:
    """An entry is bound by its checksum alone, which anybody can compute."""
    root, folder = _project(tmp_path)
    (path,) = folder.path.glob("*.cache")
    before = path.read_bytes()

    _renamed(folder, "torchlint.model.training.what_trains:TrainsIn", name)
    anew = _edited(root, folder, _LOOPS + "zz = 1\n")

    assert before
    assert ("shown.py" in anew) is (not name.endswith(":TrainsIn"))


def _project(tmp_path: Path) -> tuple[Path, Folder]:
    root, folder = tmp_path / "project", Folder(tmp_path / "cache")
    root.mkdir()
    for name, text in {"train.py": _TRAIN, "loops.py": _LOOPS, "shown.py": _SHOWN}.items():
        (root / name).write_text(text)
    lint_cached([(job_of(root), folder)], 1, lambda _: None)
    return root, folder


def _edited(root: Path, folder: Folder, text: str) -> set[str]:
    """Return the reports that are made anew with another text of `loops.py`; all are those of a run without a cache."""
    (root / "loops.py").write_text(text)
    reports: list[FileReport] = []
    noted = lint_cached([(job_of(root), folder)], 1, reports.append)
    assert sorted(reports, key=lambda one: one.path) == linted(job_of(root))
    return {Path(one.report.path).name for one in noted}


def _renamed(folder: Folder, old: str, new: str) -> None:
    (path,) = folder.path.glob("*.cache")
    head = folder.head(path.stem)
    assert head is not None
    tail = folder.tail(path.stem, head)
    assert tail is not None
    folder.keep(path.stem, head, tail.replace(old.encode(), new.encode()))
