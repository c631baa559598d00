"""What PyTorch says is deprecated, read from its sources, and whether the table agrees with the installed one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.deprecations.arguments import argument_rows
from benchmarks.deprecations.marks import How
from benchmarks.deprecations.run import differences, installed
from benchmarks.deprecations.sources import Sources
from benchmarks.deprecations.table import Reading, Release, reading, rows
from torchlint.pytorch.marked import MARKED
from torchlint.pytorch.removed import REMOVED

WARNS = "import warnings\n"
SOURCES = {
    "decorated": ('@deprecated("use `new` instead", category=FutureWarning)\ndef f(): pass', How.WARNS),
    "decorated under another name": ('@_deprecated("use `new`")\ndef f(): pass', How.WARNS),
    "decorated for type checkers alone": ('@deprecated("use `new`", category=None)\ndef f(): pass', None),
    "decorated with a constant": ('_TEXT = "use `new`"\n@deprecated(_TEXT)\ndef f(): pass', How.WARNS),
    "one of several signatures": ('@overload\n@deprecated("use `new`")\ndef f(): ...', None),
    "warning": (f'{WARNS}def f():\n    warnings.warn("`f` is deprecated, use `new`")\n    return 1', How.WARNS),
    "warning of something else": (f'{WARNS}def f():\n    warnings.warn("slow")', None),
    "warning by a helper": ('def f():\n    warn_deprecated("f", "new")', How.WARNS),
    "warning at an argument": (f'{WARNS}def f(x=None):\n    if x:\n        warnings.warn("`x` is deprecated")', None),
    "warning in any Python": (
        f"{WARNS}def f():\n    if sys.version_info >= (3, 14):\n        warnings.warn('may break')\n"
        "    else:\n        warnings.warn('deprecated, use `new`')",
        How.WARNS,
    ),
    "a class": (f'{WARNS}class f:\n    def __init__(self):\n        warnings.warn("deprecated, use `new`")', How.WARNS),
    "documented": ('def f():\n    """This function is deprecated. Use :func:`new`."""', How.DOCUMENTED),
    "documented of something else": ('def f():\n    """The argument `x` is deprecated."""', None),
    "raising": ('def f():\n    raise RuntimeError("f is now removed, use `new`")', How.RAISES),
    "raising of something else": ('def f():\n    raise NotImplementedError("not here")', None),
}


def read(folder: Path, files: dict[str, str], release: Release = (2, 0)) -> Reading:
    """Return what the sources of a package say that has some files."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return reading(Sources(folder, ("torch",)), release)


@pytest.mark.parametrize(("text", "how"), SOURCES.values(), ids=SOURCES)
def test_the_sources_say_what_is_deprecated(tmp_path: Path, text: str, how: How | None) -> None:
    said = read(tmp_path, {"torch/__init__.py": "", "torch/part.py": f"{text}\ndef new(): pass\n"})

    mark = said.marked.get("torch.part.f")
    assert (mark.how if mark is not None else None) == how


def test_a_name_is_known_by_all_that_export_it(tmp_path: Path) -> None:
    part = '@deprecated("use `new`")\ndef old(): pass\ndef new(): pass\n'
    files = {
        "torch/__init__.py": "from torch.part import *\nfrom . import other",
        "torch/_private.py": "from torch.part import old",
        "torch/other.py": "from .part import old as older\n__all__ = ['older']",
        "torch/part/__init__.py": "from .made import old, new",
        "torch/part/made.py": part,
    }

    names = {str(row) for row in rows([read(tmp_path, files)])}

    assert names == {
        "torch.old warns 2.0 - torch.new 2.0",
        "torch.other.older warns 2.0 - torch.new 2.0",
        "torch.part.made.old warns 2.0 - torch.part.made.new 2.0",
        "torch.part.old warns 2.0 - torch.part.new 2.0",
    }


def test_releases_tell_since_when(tmp_path: Path) -> None:
    new = "def new(): pass\n"
    warning = f'@deprecated("use `new`")\ndef old(): pass\n{new}'
    releases = {
        (1, 8): "def old(): pass\ndef gone(): pass\ndef kept(): raise RuntimeError('now removed')",
        (1, 9): f"{warning}def gone(): pass\n",
        (2, 0): f"{warning}",
        (2, 1): f"{new}def old(): raise RuntimeError('old is now removed')",
    }
    said = [read(tmp_path / str(n), {"torch/__init__.py": text}, v) for n, (v, text) in enumerate(releases.items())]

    assert [str(row) for row in rows(said, ["torch.gone"])] == [
        "torch.gone silent - 2.0",
        "torch.old raises 1.9 2.1 torch.new 1.9",
    ]


def test_the_table_says_what_the_installed_pytorch_says() -> None:
    pytest.importorskip("torch", minversion="2.13")

    assert list(differences(installed())) == []


def test_a_row_that_disagrees_is_noticed(tmp_path: Path) -> None:
    said = read(tmp_path, {"torch/__init__.py": "def qr(): pass\n@deprecated('use `qr`')\ndef fresh(): pass"}, (2, 14))

    found = list(differences(said))

    assert "torch.qr: does not raise in PyTorch 2.14" in found
    assert "torch.cholesky: is absent from PyTorch 2.14" not in found
    assert "torch.svd: is absent from PyTorch 2.14" in found
    assert "torch.fresh: is marked in PyTorch 2.14, and no row of the table" in found


def test_releases_tell_which_arguments_are_gone(tmp_path: Path) -> None:
    base = "class Base:\n    def __init__(self, a{}): pass\n"
    heir = "class Heir(Base): pass\n"
    every = "import functools\n@functools.singledispatch\ndef every(x{}): pass\n"
    releases = {
        (1, 8): f"def f(a, b=1, c=2): pass\ndef g(a, b): pass\ndef h(a, *, b): pass\n{every.format(', y')}",
        (1, 9): f"def f(a, b=1, c=2): pass\n{base.format(', verbose=1')}{heir}{every.format('')}",
        (2, 0): f"def f(a, *, b): pass\ndef g(a, **more): pass\ndef h(a): pass\n{base.format('')}{heir}",
    }
    said = [read(tmp_path / str(n), {"torch/__init__.py": text}, v) for n, (v, text) in enumerate(releases.items())]

    assert [str(row) for row in argument_rows(said)] == [
        "torch.Base verbose 2.0 1",
        "torch.Heir verbose 2.0 1",
        "torch.f c 2.0 2",
        "torch.h b 2.0 -",
    ]


@pytest.mark.parametrize("name", sorted(MARKED.keys() & REMOVED.keys()))
def test_a_removal_has_the_release_of_the_sources(name: str) -> None:
    assert REMOVED[name].release == MARKED[name].gone
