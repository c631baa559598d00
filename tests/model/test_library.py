"""Which file an import names, and where it is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import check_out
from torchlint.project.library import AddedFolders, Library
from torchlint.project.sayings import uses

CASES = {
    "a script's neighbour": ("tools/train.py", "nets", 0, ["tools/nets.py"], "tools/nets.py"),
    "the root": ("tools/train.py", "nets", 0, ["nets.py"], "nets.py"),
    "the neighbour before the root": ("tools/train.py", "nets", 0, ["nets.py", "tools/nets.py"], "tools/nets.py"),
    "never the importing file": ("utils/model.py", "model", 0, ["model/__init__.py"], "model/__init__.py"),
    "never the importing file alone": ("utils/yaml.py", "yaml", 0, [], None),
    "a package's neighbour": ("lib/a.py", "nets", 0, ["lib/__init__.py", "lib/nets.py"], "lib/nets.py"),
    "the root before a package's neighbour": (
        "lib/a.py",
        "nets",
        0,
        ["lib/__init__.py", "lib/nets.py", "nets.py"],
        "nets.py",
    ),
    "Python's own before a package's neighbour": ("lib/a.py", "random", 0, ["lib/__init__.py", "lib/random.py"], None),
    "Python's own before what lies in a package above": (
        "lib/deep/a.py",
        "random",
        0,
        ["lib/__init__.py", "lib/random.py", "lib/deep/__init__.py"],
        None,
    ),
    "a script's neighbour before Python's own": ("tools/a.py", "test", 0, ["tools/test.py"], "tools/test.py"),
    "a src layout": ("tests/test_it.py", "pkg.nets", 0, ["src/pkg/__init__.py", "src/pkg/nets.py"], "src/pkg/nets.py"),
    "a package": ("train.py", "nets", 0, ["nets/__init__.py"], "nets/__init__.py"),
    "a package before a plain file": ("train.py", "nets", 0, ["nets/__init__.py", "nets.py"], "nets/__init__.py"),
    "a plain file before a folder": ("train.py", "nets", 0, ["nets/a.py", "nets.py"], "nets.py"),
    "a folder without init": ("train.py", "lib.nets", 0, ["lib/nets.py"], "lib/nets.py"),
    "from . import": ("pkg/train.py", "", 1, ["pkg/__init__.py"], "pkg/__init__.py"),
    "from .nets import": ("pkg/train.py", "nets", 1, ["pkg/nets.py", "nets.py"], "pkg/nets.py"),
    "from ..nets import": ("pkg/sub/train.py", "nets", 2, ["pkg/nets.py"], "pkg/nets.py"),
    "from .sub.nets import": ("pkg/train.py", "sub.nets", 1, ["pkg/sub/nets.py"], "pkg/sub/nets.py"),
    "relative stays in the package": ("pkg/train.py", "nets", 1, ["nets.py"], None),
    "beside its package": ("pkg/sub/train.py", "pkg.nets", 0, ["pkg/__init__.py", "pkg/nets.py"], "pkg/nets.py"),
    "beside its package before the root": (
        "old/lib/a.py",
        "nets",
        0,
        ["nets.py", "old/lib/__init__.py", "old/lib/nets.py", "old/nets.py"],
        "old/nets.py",
    ),
    "outside": ("train.py", "transformers", 0, [], None),
    "never a stand-in for torch": ("train.py", "torch", 0, ["torch/__init__.py"], None),
}


@pytest.mark.parametrize(("importer", "module", "level", "files", "expected"), CASES.values(), ids=CASES)
def test_an_import_finds_what_python_would(
    tmp_path: Path, importer: str, module: str, level: int, files: list[str], expected: str | None
) -> None:
    check_out(tmp_path, dict.fromkeys([*files, importer], ""))

    found = Library(tmp_path).find(tmp_path / importer, module, level, AddedFolders())

    assert (found.relative_to(tmp_path).as_posix() if found else None) == expected


def test_a_package_that_is_the_root_knows_its_own_name(tmp_path: Path) -> None:
    check_out(tmp_path / "pkg", {"__init__.py": "", "nets.py": "", "deep/a.py": ""})
    (tmp_path / "other.py").touch()
    library = Library(tmp_path / "pkg")
    importer = tmp_path / "pkg" / "deep" / "a.py"

    assert library.find(importer, "pkg.nets", 0, AddedFolders()) == tmp_path / "pkg" / "nets.py"
    assert library.find(importer, "other", 0, AddedFolders()) is None


def test_a_script_in_a_package_finds_its_neighbour_before_pythons_own(tmp_path: Path) -> None:
    check_out(tmp_path, {"lib/__init__.py": "", "lib/test.py": "", "lib/a.py": 'if __name__ == "__main__": ...'})

    found = Library(tmp_path).find(tmp_path / "lib/a.py", "test", 0, AddedFolders())

    assert found == tmp_path / "lib/test.py"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"utils/tools.py": ""}, "utils/model.py"),
        ({"utils/tools.py": "", "train.py": "from utils.tools import load\n"}, "model/__init__.py"),
        ({"utils/tools.py": "", "train.py": "import utils.tools as tools\n"}, "model/__init__.py"),
        ({"utils/tools.py": "if __name__ == '__main__': ...", "utils/__init__.py": ""}, "utils/model.py"),
    ],
    ids=["a script", "imported from above", "imported whole", "run out of a package"],
)
def test_the_neighbours_of_what_is_imported_from_above_come_last(
    tmp_path: Path, texts: dict[str, str], expected: str
) -> None:
    check_out(tmp_path, {"model/__init__.py": "", "utils/model.py": "", **texts})

    found = Library(tmp_path).find(tmp_path / "utils/tools.py", "model", 0, AddedFolders())

    assert found == tmp_path / expected


def test_files_are_looked_up_by_the_words_they_hold(tmp_path: Path) -> None:
    check_out(tmp_path, {"a.py": "save_all()", "b.py": "save(x)", "c/d.py": "def save(): ...", "venv/e.py": "save()"})
    library = Library(tmp_path)

    assert [path.name for path in library.holding("save")] == ["b.py", "d.py"]
    assert [path.name for path in library.holding("save(")] == ["b.py", "d.py"]
    assert [path.name for path in library.holding("def save(")] == ["d.py"]


@pytest.mark.parametrize(
    "text",
    [
        "save(", "resave(", "ave(", "e(", ".save", ".sa", "import sav", "a-save", "e-all", "-all", "no-such", "(é)", "0-all",
        "x.save(y", "3d(", "-3d",
    ],
)  # fmt: skip
def test_a_text_is_found_whether_words_begin_or_end_with_it(tmp_path: Path, text: str) -> None:
    programs = {
        "a.py": "resave(x)\nx.save_all",
        "b.py": "from io import save\nx.save(y)",
        "c.py": "'a-save-all'\nconv_3d(é)",
        "d.py": "'10-all' -3dé",
    }
    check_out(tmp_path, programs)

    found = [path.name for path in Library(tmp_path).holding(text)]

    assert found == [name for name, program in programs.items() if text in program]


_USES = {
    "a call": "save(x)",
    "a call of a method": "self.save (x)",
    "handed on": "run(1, save)",
    "handed on by keyword": "run(\n    after=utils.save,\n)",
    "the last of its lines": "run(\n    save  # when all is done\n)",
    "a call by a text": "getattr(utils, 'save')(x)",
    "a call by a text on lines of its own": 'getattr(\n    utils,\n    "save",\n)(x)',
    "another name": "store = tools.save",
    "imported by another name": "from tools import save as store",
}
_NO_USES = {
    "its definition": "def save(x): ...\nclass save(Base): ...",
    "a part of other names": "save_all(saved, resave(x), unsave)",
    "a text": 'run("save")',
    "prose": '"""How to save a model, and save it again."""',
    "the owner of another": "save.all(x)",
    "an import": "from tools import save",
}


@pytest.mark.parametrize("text", _USES.values(), ids=_USES)
def test_what_may_call_a_name_or_hand_it_on_is_found_by_its_bytes(text: str) -> None:
    assert uses(b"save", text.encode())


@pytest.mark.parametrize("text", _NO_USES.values(), ids=_NO_USES)
def test_what_neither_calls_a_name_nor_hands_it_on_is_not(text: str) -> None:
    assert not uses(b"save", text.encode())


def test_heirs_are_found_by_the_heads_of_classes(tmp_path: Path) -> None:
    check_out(
        tmp_path,
        {
            "a.py": "class Net(nn.Module): ...\n",
            "b.py": "from a import Net as Base\nclass Small(\n    Mixin,\n    Base,\n): ...\n",
            "c.py": "import b\nclass Tiny(b.Small): ...\nclass Apart(Other):\n    net: Net\n",
        },
    )
    library = Library(tmp_path)

    assert library.heirs("Net") == {"Net", "Base", "Small", "Tiny"}
    assert [path.name for path in library.inheriting("Small")] == ["c.py"]


_PROPERTIES = {
    "plain": "@property\ndef mean(self): ...",
    "indented, behind a comment": "    @property  # of all\n    def mean(self) -> float: ...",
    "with another decorator": "@property\n@torch.no_grad()\n\n# slow\ndef mean(self): ...",
    "of Windows": "@property\r\ndef mean(self): ...",
}
_NO_PROPERTIES = {
    "a method": "def mean(self): ...",
    "another property": "@property\ndef total(self): ...\ndef mean(self): ...",
    "computed but once": "@cached_property\ndef mean(self): ...",
}


@pytest.mark.parametrize("text", _PROPERTIES.values(), ids=_PROPERTIES)
def test_a_property_is_found_by_its_bytes(tmp_path: Path, text: str) -> None:
    check_out(tmp_path, {"a.py": text, "b.py": "mean"})

    assert [path.name for path in Library(tmp_path).computing("mean")] == ["a.py"]


@pytest.mark.parametrize("text", _NO_PROPERTIES.values(), ids=_NO_PROPERTIES)
def test_what_is_no_property_of_that_name_is_not(tmp_path: Path, text: str) -> None:
    check_out(tmp_path, {"a.py": text})

    assert not Library(tmp_path).computing("mean")


@pytest.mark.parametrize(("code", "expected"), [("x = torch.ones(2)", False), ("model.cuda()", True)])
def test_a_project_that_names_no_device_asks_for_none(tmp_path: Path, code: str, expected: bool) -> None:
    check_out(tmp_path, {"main.py": f"import torch\n{code}\n"})

    assert Library(tmp_path).asks_for_devices is expected
