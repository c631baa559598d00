"""What torchlint says of packages is written, recorded and compared so that every change of it is seen."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.ecosystem.difference import difference, steps_changed
from benchmarks.ecosystem.packages import PACKAGES, Package, wheel_of
from benchmarks.ecosystem.probing import Checkout, checkout_at
from benchmarks.ecosystem.said import Entry, Said, from_probe, from_record
from benchmarks.ecosystem.subjects import Subject, of_folder, of_package
from torchlint.errors import UsageError

_CHECKOUT = Path(__file__).parents[1]
_TRAINS = """\
import torch

model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters())
for batch in torch.utils.data.DataLoader(torch.ones(8, 2)):
    loss = model(batch.cuda()).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
"""
_LOADS = 'import torch\n\nstate = torch.load("model.pt", weights_only=False)\n'


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Return a folder of one case of one kind, of two files."""
    return _cases(tmp_path)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Said:
    """Return what is said of such a folder."""
    return _said(_cases(tmp_path_factory.mktemp("said")))


def _cases(root: Path) -> Path:
    folder = root / "cases"
    case = folder / "kind" / "case"
    case.mkdir(parents=True)
    (case / "train.py").write_text(_TRAINS)
    (case / "load.py").write_text(_LOADS)
    return folder


def _said(cases: Path, *, is_repeated: bool = True) -> Said:
    return checkout_at(_CHECKOUT, cases.parent / "kept").said(of_folder("cases", cases, 2), is_repeated=is_repeated)


def _run(module: str, cases: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"benchmarks.ecosystem.{module}", "--cases", str(cases)]
    kept = ["--kept", str(cases.parent / "kept"), "--wheels", str(cases.parent / "wheels")]
    return subprocess.run(
        [*command, *kept, *arguments], cwd=_CHECKOUT, capture_output=True, encoding="utf-8", check=False
    )


def _of(*entries: Entry, steps: dict[str, int] | None = None) -> Said:
    return Said("timm", "1.0", entries, steps, 1)


def test_a_finding_is_one_line_with_its_trace_and_its_fix_below(said: Said) -> None:
    lines = said.full.splitlines()

    assert lines[0].startswith("of cases ")
    at = next(at for at, line in enumerate(lines) if line.startswith("finding unsafe-load kind/case/load.py:3:9 "))
    assert lines[at].startswith("finding unsafe-load kind/case/load.py:3:9 warning high: ")
    assert lines[at + 1].startswith("    fix unsafe: ")
    assert lines[at + 2] == "    edit 3:45-3:50 'True'"
    assert "    trace kind/case/train.py:5:14-5:59 this loop trains" in lines
    assert any(line.startswith("steps item-in-training-loop ") for line in lines)
    assert lines[-1].startswith("total: files 2, findings ")


def test_two_runs_say_the_same_and_count_the_same_steps(cases: Path) -> None:
    first = _said(cases)

    second = _said(cases)

    assert sum((first.steps or {}).values()) > 0
    assert first.full == second.full


def test_a_record_holds_places_and_digests_and_none_of_the_words(said: Said, tmp_path: Path) -> None:
    path = tmp_path / "cases.txt"
    path.write_text(said.record)

    read = from_record(path)

    assert not any(line in said.record for entry in said.entries for line in entry.text.splitlines())
    assert [(one.name, one.place, one.digest) for one in read.entries] == [
        (one.name, one.place, one.digest) for one in said.entries
    ]
    assert (read.subject, read.of, read.steps, read.files) == (said.subject, said.of, said.steps, said.files)
    assert not difference(read, said)


def test_errors_and_stopped_rules_are_entries_as_well(tmp_path: Path) -> None:
    entries = [("error rule-failed", "a b.py", "rule failed\nat length"), ("incomplete kept-graph", "a b.py", "")]
    said = from_probe("timm", "1.0 abc", json.dumps({"entries": entries, "steps": {}, "files": 1, "seconds": 0}))
    path = tmp_path / "timm.txt"
    path.write_text(said.record)

    assert said.full.splitlines()[1:-1] == [
        "error rule-failed a b.py rule failed",
        "    at length",
        "incomplete kept-graph a b.py",
    ]
    assert said.total == "total: files 1, findings 0, errors 1, incomplete 1, steps 0"
    assert not difference(from_record(path), said)


@pytest.mark.parametrize("changed", ["message", "trace", "fix"])
def test_the_digest_is_of_all_that_is_said(changed: str) -> None:
    def digest(**words: str) -> str:
        said = {"message": "m", "trace": "t", "fix": "f"} | words
        entries = [("finding kept-graph", "a.py:1:1", "\n".join(said.values()))]
        printed = json.dumps({"entries": entries, "steps": {}, "files": 1, "seconds": 0})
        return from_probe("timm", "1.0", printed).entries[0].digest

    assert digest() == digest()
    assert digest(**{changed: "another"}) != digest()


def test_what_came_went_and_changed_is_told_apart() -> None:
    stays, old = Entry("finding a", "x.py:1:1", "1"), Entry("finding a", "x.py:2:1", "2", "as it was")
    new, gone = replace(old, digest="3", text="as it is"), Entry("finding b", "x.py:3:1", "4")
    twice = Entry("finding a", "x.py:1:1", "5")

    found = difference(_of(stays, old, gone), _of(stays, twice, new))

    assert (found.came, found.went, found.changed) == ((twice,), (gone,), ((old, new),))
    assert found.summary == "1 came, 1 went, 1 changed"
    assert list(found.lines) == [
        "+ finding a x.py:1:1",
        "~ finding a x.py:2:1 as it is\n  before: finding a x.py:2:1 as it was",
        "- finding b x.py:3:1",
    ]
    assert not difference(_of(stays, stays), _of(stays, stays))


def test_steps_are_told_of_rules_that_changed_by_more_than_some_percent_and_of_all_together() -> None:
    before, after = _of(steps={"a": 100, "b": 100, "gone": 5}), _of(steps={"a": 102, "b": 103, "new": 7})

    assert list(steps_changed(before, after, 2)) == [
        "steps b: 100 -> 103 (+3.0 %)",
        "steps gone: 5 -> 0 (-100.0 %)",
        "steps new: 0 -> 7 (new)",
        "steps: 205 -> 212 (+3.4 %)",
    ]
    assert list(steps_changed(_of(), after, 2)) == ["steps: not counted before"]


def test_another_file_in_the_place_of_a_wheel_is_refused_in_one_line(tmp_path: Path) -> None:
    package = Package("some-package", "1.0", "0" * 64)
    wheel = tmp_path / "some_package-1.0-py3-none-any.whl"
    wheel.write_bytes(b"another")

    with pytest.raises(UsageError) as refused:
        wheel_of(package, tmp_path)

    assert len(refused.value.lines) == 1
    assert str(refused.value).startswith(f"{wheel} is another file: its sha256 is ")


def test_every_package_is_pinned_by_its_sha256() -> None:
    assert len(PACKAGES) == 10
    assert all(len(package.sha256) == 64 for package in PACKAGES)


def test_a_wheel_is_linted_as_it_is_unpacked(tmp_path: Path) -> None:
    wheel = tmp_path / "some_package-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("some_package/load.py", _LOADS)
    subject = of_package(Package("some-package", "1.0", "0" * 64), wheel)

    said = checkout_at(_CHECKOUT, tmp_path / "kept").said(subject, is_repeated=True)

    assert [entry.place for entry in said.entries if entry.name == "finding unsafe-load"] == [
        "some_package/load.py:3:9"
    ]


def test_what_is_known_of_a_checkout_is_not_asked_again(cases: Path) -> None:
    first = _said(cases)

    again = _said(cases, is_repeated=False)
    (cases / "kind" / "case" / "load.py").unlink()
    changed = _said(cases, is_repeated=False)

    # The seconds of another run would be others.
    assert again == first
    assert changed.files == 1


def test_a_checkout_without_a_torchlint_is_no_other_one(cases: Path, tmp_path: Path) -> None:
    nothing = Checkout(tmp_path / "nothing", tmp_path / "kept", "nothing")

    with pytest.raises(UsageError, match=r"torchlint was imported from .*, and not from"):
        nothing.said(Subject("cases", cases, "1", 2), is_repeated=True)


def test_a_run_compares_to_the_record_and_fails_where_findings_differ(cases: Path, tmp_path: Path) -> None:
    records, out = ["--records", str(tmp_path / "record")], tmp_path / "out"

    unknown = _run("run", cases, "cases", *records)
    recorded = _run("run", cases, "cases", *records, "--record")
    same = _run("run", cases, "cases", *records)
    load = cases / "kind" / "case" / "load.py"
    load.write_text(load.read_text().replace("\n\n", "\n"))
    differs = _run("run", cases, "cases", *records, "--out", str(out))

    assert (unknown.returncode, recorded.returncode, same.returncode, differs.returncode) == (1, 0, 0, 1)
    assert "cases: 0 came, 0 went, 0 changed" in same.stdout
    assert "cases: the record is of other files" in differs.stdout
    assert "\n- finding unsafe-load kind/case/load.py:3:9\n" in differs.stdout
    assert "\n+ finding unsafe-load kind/case/load.py:2:9 " in differs.stdout
    assert "finding unsafe-load kind/case/load.py:2:9 " in (out / "cases.txt").read_text()


def test_what_is_not_there_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / PACKAGES[0].wheel).write_bytes(b"another")

    without = _run("run", tmp_path / "nowhere", "cases")
    wrong = _run("run", tmp_path / "nowhere", PACKAGES[0].name)

    assert without.stderr == f"cases: skipped, as there is no folder {tmp_path / 'nowhere'}\n"
    assert (without.returncode, wrong.returncode) == (0, 2)
    assert wrong.stderr.count("\n") == 1


def test_two_commits_are_compared_by_what_each_says(cases: Path) -> None:
    same = _run("compare", cases, "HEAD", "HEAD", "--only", "cases")
    unknown = _run("compare", cases, "no-such-commit", "--only", "cases")

    if "git knows no commit" in same.stderr:
        pytest.skip("no repository")
    assert same.stdout.startswith("cases: 0 came, 0 went, 0 changed\nsteps: ")
    assert (unknown.returncode, unknown.stderr) == (2, "git knows no commit `no-such-commit`\n")
