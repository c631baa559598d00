"""Scripts that spawn processes whenever they run."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.unguarded_spawns import unguarded_spawns
from torchlint.model import Project

HEAD = """
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader
def train(rank): pass
"""


def found_in(tmp_path: Path, text: str, **others: str) -> list[str]:
    for name, other in others.items():
        (tmp_path / f"{name}.py").write_text(other)
    path = tmp_path / "run.py"
    path.write_text(HEAD + text + "\n")
    file = Project(tmp_path).open(path, "run.py")
    return [one.run.code for one in unguarded_spawns(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("mp.spawn(train, nprocs=2)", "mp.spawn(train, nprocs=2)"),
        ("mp.start_processes(train, nprocs=2)", "mp.start_processes(train, nprocs=2)"),
        ("if torch.cuda.device_count() > 1:\n    mp.spawn(train)", "mp.spawn(train)"),
        ("def main():\n    mp.spawn(train)\nmain()", "main()"),
        ("def may():\n    return torch.cuda.is_available()\nif may():\n    mp.spawn(train)", "mp.spawn(train)"),
        ("if mp.parent_process() is None:\n    mp.spawn(train)", "mp.spawn(train)"),
        ("def start():\n    mp.spawn(train)\ndef main():\n    start()\nmain()", "main()"),
        ("mp.set_start_method('spawn', force=True)\np = mp.Process(target=train)\np.start()", "p.start()"),
        ("ctx = mp.get_context('spawn')\nps = [ctx.Process(target=train)]\nfor p in ps:\n    p.start()", "p.start()"),
        ("pool = mp.get_context('spawn').Pool(2)", "mp.get_context('spawn').Pool(2)"),
        ("loader = DataLoader(data, num_workers=2, multiprocessing_context='spawn')\nfor x in loader: pass", "loader"),
    ],
)
def test_what_spawns_at_the_top_level_is_found(tmp_path: Path, text: str, run: str) -> None:
    assert found_in(tmp_path, text) == [run]


@pytest.mark.parametrize(
    "text",
    [
        "if __name__ == '__main__':\n    mp.spawn(train)",
        "if __name__ != '__main__':\n    raise SystemExit\nmp.spawn(train)",
        "def main():\n    mp.spawn(train)\nif __name__ == '__main__':\n    main()",
        "def main():\n    mp.spawn(train)",
        "def main():\n    if __name__ == '__main__':\n        mp.spawn(train)\nmain()",
        "if mp.current_process().name == 'MainProcess':\n    mp.spawn(train)",
        "def is_program():\n    return __name__ == '__main__'\nif is_program():\n    mp.spawn(train)",
        "program = __name__ == '__main__'\nif program:\n    mp.spawn(train)",
        "mp.start_processes(train, nprocs=2, start_method='fork')",
        "p = mp.Process(target=train)\np.start()",
        "mp.set_start_method('fork')\np = mp.Process(target=train)\np.start()",
        "mp.set_start_method(method)\np = mp.Process(target=train)\np.start()",
        "mp.set_start_method('spawn')\ntimer.start()",
        "mp.set_start_method('spawn')\np = mp.Process(target=train)",
        "loader = DataLoader(data, num_workers=2, multiprocessing_context='spawn')",
        "loader = DataLoader(data, num_workers=0, multiprocessing_context='spawn')\nfor x in loader: pass",
        "loader = DataLoader(data, num_workers=workers)\nfor x in loader: pass",
        "loader = DataLoader(data, num_workers=2)\nif __name__ == '__main__':\n    for x in loader: pass",
        "mp.set_start_method('fork')\nloader = DataLoader(data, num_workers=2)\nfor x in loader: pass",
        "mp.set_start_method(method)\nloader = DataLoader(data, num_workers=2)\nfor x in loader: pass",
        "if False:\n    mp.spawn(train)",
    ],
)
def test_what_is_guarded_or_starts_no_spawned_process_is_not(tmp_path: Path, text: str) -> None:
    assert found_in(tmp_path, text) == []


def test_a_file_that_another_one_imports_is_no_script(tmp_path: Path) -> None:
    assert found_in(tmp_path, "mp.spawn(train)", main="import torch\nimport run\n") == []


WORKERS = "loader = DataLoader(data, num_workers=2)\n"


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("for x in loader: pass\nfor x in loader: pass", "loader"),
        ("for x in tqdm(loader): pass", "loader"),
        ("for i, (x, y) in enumerate(loader):\n    for one, label in zip(x, y): pass", "loader"),
        ("def train():\n    for x in loader: pass\nfor epoch in range(3):\n    train()\n", "train()"),
    ],
)
def test_what_starts_workers_as_the_platform_does_is_found_once(tmp_path: Path, text: str, run: str) -> None:
    assert found_in(tmp_path, WORKERS + text) == [run]


_STARTED = "p = mp.Process(target=train)\np.start()"
_SPAWNS = "import torch.multiprocessing as mp\nmp.set_start_method('spawn')\n"


@pytest.mark.parametrize(
    ("text", "other", "found"),
    [
        (f"import other\n{_STARTED}", _SPAWNS, ["p.start()"]),
        # A script that imports by names of its own has not to import this one.
        (_STARTED, f"import importlib\n{_SPAWNS}importlib.import_module(name)\n", []),
        (f"import other\n{_STARTED}", f"{_SPAWNS}importlib.import_module(name)\n", ["p.start()"]),
        (
            f"import other\nif __name__ == '__main__':\n    pass\n{_STARTED}",
            "import torch.multiprocessing as mp\ndef main():\n    mp.set_start_method('spawn')\n",
            [],
        ),
    ],
)
def test_a_method_counts_in_the_runs_that_set_it(tmp_path: Path, text: str, other: str, found: list[str]) -> None:
    assert found_in(tmp_path, text, other=other) == found
