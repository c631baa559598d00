"""What files add to `sys.path`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkout import Checkout
from torchlint.project.library import AddedFolders, Library
from torchlint.project.searchpath import added_folders

LAYOUT = {"tools/train.py": "", "lib/nets.py": "", "tools/extra/a.py": ""}


@pytest.mark.parametrize(
    ("code", "folder"),
    [
        ("import sys\nsys.path.append('lib')", "lib"),
        ("import sys\nsys.path.append('extra')", "tools/extra"),
        ("import sys\nsys.path.append('../lib')", "lib"),
        ("import sys\nsys.path.append('./lib/')", "lib"),
        ("from sys import path\npath.append('lib')", "lib"),
        ("import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), '..'))", "."),
        ("import os, sys\nsys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))", "lib"),
        ("import os, sys\nsys.path.append(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))", "."),
        ("import os.path as osp, sys\nsys.path.append(osp.join(osp.dirname(__file__), osp.pardir, 'lib'))", "lib"),
        ("import os, sys\nsys.path.append(os.path.dirname(__file__) + '/../lib')", "lib"),
        ("import os, sys\nsys.path.append(os.path.join(os.getcwd(), 'lib'))", "lib"),
        ("import sys\nfrom pathlib import Path\nsys.path.append(str(Path(__file__).parent.parent / 'lib'))", "lib"),
        ("import sys\nfrom pathlib import Path\nsys.path.append(str(Path(__file__).resolve().parents[1]))", "."),
        ("import sys\nfrom pathlib import Path\nsys.path.append(Path(__file__).parent.joinpath('extra').as_posix())",
         "tools/extra"),
        ("import sys\nfrom pathlib import Path\nROOT = Path(__file__).resolve().parent.parent\n"
         "LIB = ROOT / 'lib'\nsys.path.append(str(LIB))", "lib"),
        ("import sys\ndef add(path):\n    if path not in sys.path:\n        sys.path.append(path)\nadd('lib')", "lib"),
        ("import os, sys\ndef add(path):\n    sys.path.append(os.path.abspath(path))\nadd('lib')", "lib"),
        ("import sys\ndef add(first, path):\n    sys.path.append(path)\nLIB = '../lib'\nadd(True, path=LIB)", "lib"),
        ("import sys\nlib = 'nowhere'\nsys.path.append(lib)\nlib = 'lib'\nsys.path.append(lib)", "lib"),
        ("import sys\nfor path in ['lib']:\n    sys.path.append(path)", "lib"),
        ("import sys\np0 = 'lib'\n" + "".join(f"p{i + 1} = p{i}\n" for i in range(30)) + "sys.path.append(p30)", "lib"),
    ],
)  # fmt: skip
def test_a_folder_that_is_written_down_is_found(
    project_of: Callable[[dict[str, str]], Checkout], tmp_path: Path, code: str, folder: str
) -> None:
    project = project_of({**LAYOUT, "tools/train.py": code})

    added = added_folders(project.file("tools/train.py"), Library(tmp_path))

    assert added == AddedFolders((), (tmp_path.joinpath(folder).resolve(),))


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nsys.path.append('nowhere')",
        "import sys\nsys.path.append('../..')",
        "import os, sys\nsys.path.append(os.environ['LIB'])",
        "import sys\nlib = 'lib'\nif sys.argv:\n    lib = 'extra'\nsys.path.append(lib)",
        "paths = []\npaths.append('lib')\nprint('sys.path')",
        "import sys\nsys.path.append()",
        "import sys\ndef add(path):\n    sys.path.append(path)\nadd(find())",
        "import sys\ndef add(path):\n    sys.path.append(path)\nprint('lib')",
        "import sys\nfor path in find('lib'):\n    sys.path.append(path)",
        "import sys\na = b\nb = a\nsys.path.append(a)",
        "import sys\np0 = 'lib/'\n" + "".join(f"p{i + 1} = p{i} + p{i}\n" for i in range(60)) + "sys.path.append(p60)",
    ],
)
def test_what_is_not_there_or_not_written_down_adds_nothing(
    project_of: Callable[[dict[str, str]], Checkout], tmp_path: Path, code: str
) -> None:
    project = project_of({**LAYOUT, "tools/train.py": code})

    assert added_folders(project.file("tools/train.py"), Library(tmp_path)) == AddedFolders()


def test_what_is_inserted_goes_before_what_python_searches_anyway(
    project_of: Callable[[dict[str, str]], Checkout],
) -> None:
    files = {"tools/settings.py": "RATE = 1", "lib/settings.py": "RATE = 2"}
    inserted = project_of(
        {**files, "tools/train.py": "import sys\nsys.path.insert(0, 'lib')\nfrom settings import RATE\nprint(RATE)"}
    )
    appended = project_of(
        {**files, "tools/test.py": "import sys\nsys.path.append('lib')\nfrom settings import RATE\nprint(RATE)"}
    )

    assert inserted.literals("RATE", "tools/train.py") == [2]
    assert appended.literals("RATE", "tools/test.py") == [1]


def test_a_script_changes_the_path_for_the_files_that_it_imports(
    project_of: Callable[[dict[str, str]], Checkout],
) -> None:
    project = project_of({
        "run.py": "import sys\nsys.path.append('vendor/deep')\nimport tools.loop",
        "tools/loop.py": "from rates import RATE\nprint(RATE)",
        "vendor/deep/rates.py": "RATE = 3",
    })  # fmt: skip

    assert project.literals("RATE", "tools/loop.py") == [3]
