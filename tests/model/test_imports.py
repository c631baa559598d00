"""Names that come from other files of the project, however they are brought in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Class, Function, Imported, Literal, PythonFile, Unknown

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

CASES: dict[str, dict[str, str]] = {
    "a neighbour": {"main.py": "from rates import RATE", "rates.py": "RATE = 7"},
    "a module's attribute": {"main.py": "import rates\nRATE = rates.RATE", "rates.py": "RATE = 7"},
    "another name": {"main.py": "import rates as r\nRATE = r.RATE", "rates.py": "RATE = 7"},
    "another name for what is imported": {"main.py": "from rates import R as RATE", "rates.py": "R = 7"},
    "a dotted module": {
        "main.py": "import conf.rates\nRATE = conf.rates.RATE", "conf/__init__.py": "", "conf/rates.py": "RATE = 7"},
    "a folder without init": {"main.py": "from conf.rates import RATE", "conf/rates.py": "RATE = 7"},
    "a file of a package": {
        "main.py": "from conf import rates\nRATE = rates.RATE", "conf/__init__.py": "", "conf/rates.py": "RATE = 7"},
    "a package that says it itself": {"main.py": "from conf import RATE", "conf/__init__.py": "RATE = 7"},
    "a re-export": {
        "main.py": "from conf import RATE", "conf/__init__.py": "from .rates import RATE", "conf/rates.py": "RATE = 7"},
    "a re-export by star": {
        "main.py": "from conf import RATE", "conf/__init__.py": "from .rates import *", "conf/rates.py": "RATE = 7"},
    "a re-export through two packages": {
        "main.py": "from a import RATE", "a/__init__.py": "from .b import RATE",
        "a/b/__init__.py": "from .c import R as RATE", "a/b/c.py": "R = 7"},
    "a star": {"main.py": "from rates import *", "rates.py": "RATE = 7"},
    "one of two stars": {"main.py": "from rates import *\nfrom other import *", "rates.py": "RATE = 7", "other.py": "X = 1"},
    "a src layout": {
        "main.py": "from conf.rates import RATE", "src/conf/__init__.py": "", "src/conf/rates.py": "RATE = 7"},
    "only for type checkers": {
        "main.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from rates import RATE", "rates.py": "RATE = 7"},
    "in a function": {
        "main.py": "def main():\n    from rates import RATE\n    print(RATE)", "rates.py": "RATE = 7"},
    "a literal on the path": {
        "main.py": "import sys\nsys.path.append('deep/lib')\nfrom rates import RATE", "deep/lib/rates.py": "RATE = 7"},
    "a circle": {
        "main.py": "from a import RATE", "a.py": "from b import RATE, OTHER", "b.py": "import a\nRATE = 7\nOTHER = a.RATE"},
    "by a name at run time": {
        "main.py": "import importlib\nRATE = importlib.import_module('conf.rates').RATE",
        "conf/__init__.py": "", "conf/rates.py": "RATE = 7"},
    "by a name put together": {
        "main.py": "from importlib import import_module\nkind = 'rates'\nRATE = import_module('conf.' + kind).RATE",
        "conf/rates.py": "RATE = 7"},
    "by a name in the package": {
        "main.py": "from conf import RATE",
        "conf/__init__.py": "import importlib\nRATE = importlib.import_module('.rates', __package__).RATE",
        "conf/rates.py": "RATE = 7"},
    "by the builtin": {"main.py": "RATE = __import__('rates').RATE", "rates.py": "RATE = 7"},
    "by what skips a test": {
        "main.py": "import pytest\nRATE = pytest.importorskip('rates').RATE", "rates.py": "RATE = 7"},
    "a submodule before the re-export": {
        "main.py": "from conf.rates import RATE", "conf/__init__.py": "from .rates import RATE as rates",
        "conf/rates.py": "RATE = 7"},
}  # fmt: skip


@pytest.mark.parametrize("files", CASES.values(), ids=CASES)
def test_a_constant_comes_through_every_kind_of_import(project_of: ProjectOf, files: dict[str, str]) -> None:
    main = files["main.py"] if "print" in files["main.py"] else f"{files['main.py']}\nprint(RATE)"

    project = project_of({**files, "main.py": main})

    assert project.literals("RATE") == [7]


def test_a_relative_import_stays_in_the_package(project_of: ProjectOf) -> None:
    project = project_of({
        "conf/__init__.py": "", "conf/rates.py": "RATE = 7", "conf/sub/__init__.py": "",
        "conf/sub/main.py": """\
            from ..rates import RATE
            from .. import rates
            print(RATE, rates.RATE)
            """, "rates.py": "RATE = 8",
    })  # fmt: skip

    assert project.literals("RATE", "conf/sub/main.py") == [7]
    assert project.literals("rates.RATE", "conf/sub/main.py") == [7]


def test_either_import_of_a_try_may_be_the_one(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": """\
            try:
                from apex.parallel import DistributedDataParallel as DDP
            except ImportError:
                from torch.nn.parallel import DistributedDataParallel as DDP
            print(DDP)
            """,
    })  # fmt: skip

    assert set(project.values("DDP")) == {
        Imported("apex.parallel.DistributedDataParallel"),
        Imported("torch.nn.parallel.DistributedDataParallel"),
    }


def test_a_file_of_the_project_stands_in_for_a_package_that_is_missing(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": """\
            try:
                import fastrates as rates
            except ImportError:
                rates = None
            print(rates)
            """,
        "fastrates.py": "",
    })  # fmt: skip

    assert [type(value).__name__ for value in project.values("rates")] == ["PythonFile", "Literal"]


def test_functions_and_classes_are_known_by_their_files(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": "from nets import Net, build\nprint(Net, build)",
        "nets.py": "class Net: ...\ndef build(): ...",
    })  # fmt: skip

    ((net), (build)) = (*project.values("Net"), *project.values("build"))

    assert isinstance(net, Class)
    assert isinstance(build, Function)
    assert (net.file.path, net.scope.name) == (build.file.path, "Net") == ("nets.py", "Net")


def test_a_package_outside_keeps_its_full_name(project_of: ProjectOf) -> None:
    project = project_of(
        {
            "main.py": """\
            import torch.nn.functional as F
            from torch import nn as layers
            print(F, layers)
            """
        }
    )

    assert project.values("F") == [Imported("torch.nn.functional")]
    assert project.values("layers") == [Imported("torch.nn")]


@pytest.mark.parametrize("name", ["name", "'missing'", "'.' + name"])
def test_what_is_imported_by_a_name_that_nobody_knows_is_unknown(project_of: ProjectOf, name: str) -> None:
    text = f"import importlib, sys\nname = sys.argv[1]\nRATE = importlib.import_module({name}).RATE\nprint(RATE)\n"

    project = project_of({"main.py": text, "rates.py": "RATE = 7"})

    assert not [value for value in project.values("RATE") if isinstance(value, Literal)]


def test_an_option_names_what_is_imported_by_default(project_of: ProjectOf) -> None:
    text = """\
        import argparse, importlib
        parser = argparse.ArgumentParser()
        parser.add_argument("--model", default="rates")
        args = parser.parse_args()
        RATE = importlib.import_module(args.model).RATE
        print(RATE)
        """

    project = project_of({"main.py": text, "rates.py": "RATE = 7"})

    assert set(project.values("RATE")) == {Literal(7), Unknown()}


def test_what_every_module_has_is_not_nothing(project_of: ProjectOf) -> None:
    text = "import rates\nfor name, rate in rates.__dict__.items():\n    print(rate)\n"

    project = project_of({"main.py": text, "rates.py": "RATE = 7"})

    assert project.values("rate") == [Unknown()]


def test_an_import_circle_ends(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": "from a import X\nprint(X)", "a.py": "from b import X", "b.py": "from a import X",
    })  # fmt: skip

    assert project.values("X") == []


def test_a_star_of_ones_own_file_and_private_names_bring_nothing(project_of: ProjectOf) -> None:
    project = project_of({"main.py": "from rates import *\nprint(_RATE)", "rates.py": "_RATE = 7"})

    assert project.literals("_RATE") == ["Unknown"]


@pytest.mark.parametrize(
    ("module", "name", "brought"),
    [
        ("torch.autograd", "getattr", "builtins.getattr"),
        ("torch.autograd", "sum", "builtins.sum"),
        ("torch", "len", "builtins.len"),
        ("torch", "sum", "torch.sum"),
        ("torch.autograd", "Variable", "torch.autograd.Variable"),
    ],
)
def test_a_star_of_torch_brings_what_it_has_in_place_of_pythons_own(
    project_of: ProjectOf, module: str, name: str, brought: str
) -> None:
    project = project_of({"main.py": f"from {module} import *\nx = {name}"})

    assert project.values(name) == [Imported(brought)]


def test_a_file_that_is_no_python_is_outside(project_of: ProjectOf) -> None:
    project = project_of({"main.py": "from broken import RATE\nprint(RATE)", "broken.py": "def ("})

    assert project.values("RATE") == [Imported("broken.RATE")]


def test_a_file_knows_the_packages_it_is_in(project_of: ProjectOf) -> None:
    project = project_of({"a/__init__.py": "", "a/b/__init__.py": "", "a/b/c.py": "", "d/e.py": ""})

    assert project.file("a/b/c.py").words == {"a", "b", "c"}
    assert project.file("a/b/__init__.py").words == {"a", "b"}
    assert project.file("d/e.py").words == {"e"}


def test_a_module_read_as_a_value_is_its_file(project_of: ProjectOf) -> None:
    project = project_of({"main.py": "import rates\nprint(rates)", "rates.py": ""})

    (value,) = project.values("rates")

    assert isinstance(value, PythonFile)
    assert value.file.path == "rates.py"
