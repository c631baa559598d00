"""Where a program starts CUDA, and what it sets in the environment after that."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project

STORE = "os.environ['CUDA_VISIBLE_DEVICES'] = '1'"


def late(folder: Path, code: str, **others: str) -> list[tuple[int, int]]:
    """Return the lines of late stores, each with how many steps lead from the start of CUDA to it."""
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    path = folder / "program.py"
    path.write_text(f"import os, subprocess, torch\n{code}")
    stores = Project(folder).open(path, path.name).late_stores("CUDA_VISIBLE_DEVICES")
    return [(store.place.line, len(story)) for store, story in stores]


@pytest.mark.parametrize("start", ["torch.cuda.is_available()", "torch.ones(1).cuda()", "torch.ones(1, device='cuda')"])
def test_asking_or_moving_starts_cuda(tmp_path: Path, start: str) -> None:
    assert late(tmp_path, f"{start}\n{STORE}\n") == [(3, 1)]


@pytest.mark.parametrize("name", ["torch.device('cuda')", "torch.cuda.device_count()", "torch.cuda.manual_seed(0)"])
def test_naming_counting_and_seeding_do_not(tmp_path: Path, name: str) -> None:
    assert late(tmp_path, f"{name}\n{STORE}\n") == []


def test_what_was_set_in_time_may_be_set_again(tmp_path: Path) -> None:
    start = "torch.cuda.is_available()\n"

    assert late(tmp_path, f"{STORE}\n{start}{STORE}\n") == []
    assert late(tmp_path, f"{STORE}\n{start}def choose():\n    {STORE}\n") == []
    assert late(tmp_path, f"{STORE}\n{start}{STORE.replace('1', '2')}\n") == [(4, 1)]
    assert late(tmp_path, f"if n:\n    {STORE}\n{start}{STORE}\n") == [(5, 1)]


def test_the_head_of_the_file_runs_before_any_function(tmp_path: Path) -> None:
    code = f"USE = torch.cuda.is_available()\ndef choose():\n    {STORE}\n"

    assert late(tmp_path, code) == [(4, 1)]


def test_an_imported_file_runs_where_it_is_imported(tmp_path: Path) -> None:
    start = "import torch\ndef use():\n    return torch.cuda.is_available()\nUSE = use()\n"

    assert late(tmp_path, f"import start\n{STORE}\n", start=start) == [(3, 3)]
    assert late(tmp_path, f"{STORE}\nimport start\n", start=start) == []


def test_files_that_all_import_each_other_are_gone_through_once(tmp_path: Path) -> None:
    names = [f"part{number}" for number in range(24)]
    imports = "".join(f"import {name}\n" for name in names)

    assert late(tmp_path, f"import part0\n{STORE}\n", **dict.fromkeys(names, imports)) == []


def test_a_function_runs_when_it_is_called(tmp_path: Path) -> None:
    choose = f"def choose():\n    {STORE}\ndef use():\n    torch.cuda.is_available()\n"

    assert late(tmp_path, f"{choose}choose()\nuse()\n") == []
    assert late(tmp_path, f"{choose}use()\nchoose()\n") == [(3, 3)]


def test_a_start_that_only_some_paths_make_does_not_count(tmp_path: Path) -> None:
    code = f"import sys\nif sys.argv:\n    torch.ones(1).cuda()\nask = lambda: torch.cuda.is_available()\n{STORE}\n"

    assert late(tmp_path, code) == []


def test_the_test_of_a_branch_runs_before_its_arms(tmp_path: Path) -> None:
    assert late(tmp_path, f"if torch.cuda.is_available():\n    {STORE}\n") == [(3, 1)]


CHOICE = "device = 'cuda' if torch.cuda.is_available() else 'cpu'\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    {
        "the other arm": (f"if torch.cuda.is_available():\n    pass\nelse:\n    {STORE}\n", []),
        "negated": (f"if not torch.cuda.is_available():\n    {STORE}\n", []),
        "by a name": (f"{CHOICE}if device == 'cpu':\n    {STORE}\n", []),
        "by another name": (f"{CHOICE}if device == 'cuda':\n    {STORE}\n", [4]),
        "either arm": (f"if torch.cuda.is_available() and n:\n    pass\nelse:\n    {STORE}\n", [5]),
        "behind both": (f"if torch.cuda.is_available():\n    pass\nelse:\n    pass\n{STORE}\n", [6]),
    }.values(),
)
def test_what_is_set_where_there_is_no_cuda_is_no_late_store(tmp_path: Path, code: str, lines: list[int]) -> None:
    assert [line for line, _ in late(tmp_path, code)] == lines


def test_children_read_the_variable_in_time(tmp_path: Path) -> None:
    code = f"def launch():\n    torch.cuda.is_available()\n    {STORE}\n    subprocess.run(['train'])\n"

    assert late(tmp_path, code) == []


def test_every_way_of_setting_the_variable_counts(tmp_path: Path) -> None:
    ways = "os.environ.setdefault('CUDA_VISIBLE_DEVICES', '1')\nos.environ.update({'CUDA_VISIBLE_DEVICES': '1'})\n"

    assert late(tmp_path, f"torch.cuda.init()\n{ways}") == [(3, 1), (4, 1)]
