"""Which names PyTorch has dropped, and which programs are prepared for that."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.fixing.draft import Draft
from torchlint.model.project import Project as Project_
from torchlint.pytorch.removed import CALLED, METHODS, REMOVED, STFT_POSITION, removal_of
from torchlint.pytorch.requirements import Required, Version
from torchlint.registry import builtin_rules

Program: TypeAlias = Callable[[str], Checkout]
Project: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "removed-symbol"
READ = "y = torch.symeig(x)"
OURS = [name for name in (*REMOVED, *CALLED) if name.startswith("torch.")]
LAST_RUN = (2, 13)
"""The release that the tests run; what is removed later, its sources alone say."""
GONE = [name for name in OURS if name not in CALLED and REMOVED[name].release <= LAST_RUN]
ARGUMENTS = {"torch.solve": 2, "torch.lstsq": 2, "torch.autograd.variable": 0}


def found_in_torch(name: str) -> object:
    """Return what a full name stands for, by an import and attributes; None if there is none."""
    parts = name.split(".")
    for cut in range(1, len(parts) + 1):
        try:
            found: object = import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part, None)
        if found is not None:
            return found
    return None


@pytest.mark.parametrize("name", GONE)
def test_what_is_said_to_be_gone_is_absent_or_only_raises(name: str) -> None:
    torch = pytest.importorskip("torch", minversion="2.9")

    found = found_in_torch(name)

    assert (found is not None) == REMOVED[name].is_called
    if callable(found):
        with pytest.raises(RuntimeError, match=r"is now removed|is deprecated"):
            found(*(torch.eye(2) for _ in range(ARGUMENTS.get(name, 1))))


@pytest.mark.parametrize("name", [name for name, removal in METHODS.items() if removal.release <= LAST_RUN])
def test_a_method_that_is_gone_is_absent_or_only_raises(name: str) -> None:
    torch = pytest.importorskip("torch", minversion="2.9")
    matrix = torch.eye(2)

    with pytest.raises((AttributeError, RuntimeError)):
        getattr(matrix, name)(*(torch.eye(2) for _ in range(ARGUMENTS.get(f"torch.{name}", 1) - 1)))


def test_an_iterator_of_a_loader_has_no_method_next() -> None:
    data = pytest.importorskip("torch", minversion="2.9").utils.data

    assert not hasattr(iter(data.DataLoader([1, 2])), "next")


def test_a_real_signal_is_not_transformed_without_return_complex() -> None:
    torch = pytest.importorskip("torch", minversion="2.9")

    with pytest.raises(RuntimeError, match="stft requires the return_complex parameter"):
        torch.stft(torch.randn(64), 16, window=torch.ones(16))
    assert torch.stft(torch.randn(64, dtype=torch.cfloat), 16, window=torch.ones(16)).is_complex()
    assert list(inspect.signature(torch.stft).parameters)[STFT_POSITION] == "return_complex"


@pytest.mark.parametrize("name", CALLED)
def test_what_was_a_function_can_not_be_called(name: str) -> None:
    pytest.importorskip("torch", minversion="2.9")

    assert found_in_torch(name) is not None
    assert not callable(found_in_torch(name))


@pytest.mark.parametrize("name", OURS)
def test_what_stands_for_it_is_there(name: str) -> None:
    pytest.importorskip("torch", minversion="2.9")
    removal = {**REMOVED, **CALLED}[name]
    named = [*re.findall(r"`(torch\.[\w.]+)`", removal.instead), *removal.parts.values(), removal.same]

    assert all(found_in_torch(one) is not None for one in named if one.startswith("torch."))
    for one in named:
        if not one.startswith("torch") and "." in one:
            module, _, last = one.rpartition(".")
            assert hasattr(import_module(module), last)


@pytest.mark.parametrize("name", [*REMOVED, *CALLED])
def test_a_file_that_names_it_is_looked_at(name: str) -> None:
    words = builtin_rules()[RULE].words
    module, _, last = name.rpartition(".")
    is_module = last.islower() and not last.startswith("_") and name not in CALLED and module != "torch"
    texts = [f"{name}(x)"] if name in CALLED or is_module else [f"{name}(x)", f"from {module} import {last}\n"]

    assert all(any(word in text for word in words) for text in texts)


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("torch._six", ""),
        ("torch._six.inf", "math.inf"),
        ("torch._six.PY3", ""),
        ("torch.set_deterministic", "torch.use_deterministic_algorithms"),
        ("torch.linalg.eigh", None),
        ("torch.solver", None),
    ],
)
def test_names_of_a_module_that_is_gone_are_gone(name: str, same: str | None) -> None:
    removal = removal_of(name)

    assert (removal.same if removal is not None else None) == same


NAMED = {
    "read": (READ, True),
    "by another name of the package": ("import torch as th\ny = th.symeig(x)", True),
    "imported, which works": ("from torch import symeig", False),
    "imported and called": ("from torch import symeig\ny = symeig(x)", True),
    "imported beside the call": ("from torch import symeig\ny = torch.symeig(x)", True),
    "called by another name": ("from torch import symeig as eigh\ny = eigh(x)", True),
    "imported from what lacks it": ("from torch import set_deterministic", True),
    "a method of a tensor": ("y = torch.eye(2).symeig()", True),
    "a method of a tensor that is solved": ("y = torch.eye(2).solve(torch.eye(2))", True),
    "a method of a sum of tensors": ("def f(x: torch.Tensor):\n    y = (x + 0.1 * torch.eye(2)).qr()", True),
    "a method of a transposed tensor": ("y = torch.eye(2).t().lstsq(torch.eye(2))", True),
    "a method of a sum with something": (
        "def f(op):\n    k = op + torch.eye(2)\n    return k.solve(torch.eye(2))",
        False,
    ),
    "a method of a product with something": (
        "def f(covariance):\n    k = covariance.evaluate()\n    k = k * torch.eye(2)\n    return k.cholesky()",
        False,
    ),
    "a method of what something returns": ("def f(op):\n    return op.detach().cholesky()", False),
    "a method of something made elsewhere": ("def f(solver, x):\n    return solver.solve(x)", False),
    "a factor": ("y = torch.cholesky(x)", True),
    "the factor that is there": ("y = torch.linalg.cholesky(x)", False),
    "a class of a module that is a function, too": ("from torch.autograd.variable import Variable", False),
    "an iterator of a loader": (
        "from torch.utils.data import DataLoader\nbatches = iter(DataLoader(x))\ny = batches.next()",
        True,
    ),
    "an iterator of a loader in an object": (
        "from torch.utils.data import DataLoader\nclass A:\n    def __init__(self):\n"
        "        self.it = iter(DataLoader(x))\n    def f(self):\n        return self.it.next()",
        True,
    ),
    "an iterator with a method of its own": (
        "class It:\n    def next(self): return 1\nbatches = It()\ny = batches.next()",
        False,
    ),
    "an iterator of anything": ("def f(batches):\n    return batches.next()", False),
    "the built-in next": ("from torch.utils.data import DataLoader\ny = next(iter(DataLoader(x)))", False),
    "a signal": ("y = torch.stft(x, 64)", True),
    "a signal with the argument": ("y = torch.stft(x, 64, return_complex=False)", False),
    "a signal with the argument by position": (
        "y = torch.stft(x, 64, 16, 64, None, True, 'reflect', False, True, True)",
        False,
    ),
    "a complex signal": ("x = torch.randn(64, dtype=torch.complex64)\ny = torch.stft(x, 64)", False),
    "a signal with open arguments": ("def f(x, **more):\n    return torch.stft(x, 64, **more)", False),
    "in torchaudio": ("import torchaudio\nmeta = torchaudio.info(path)", True),
    "a module": ("from torch._six import inf", True),
    "a module by its dotted name": ("import torch._six", True),
    "all of a module": ("from torch._six import *", True),
    "a module from its package": ("from torch import _six", True),
    "of a module": ("y = torch._six.PY3", True),
    "in torchvision": ("from torchvision import transforms\ny = transforms.Scale(3)", True),
    "the base of a class": ("import torchvision.transforms as T\nclass Scale(T.Scale): pass", True),
    "of the project": ("class torch2:\n    symeig = 1\ny = torch2.symeig", False),
    "stored": ("torch.symeig = f", False),
    "of something unknown": ("y = make().symeig(x)", False),
    "a method": ("y = x.solve(z)", False),
    "in a text": ("y = 'torch.symeig'", False),
    "the module that has the name now": ("y = torch.fft.rfft(x)", False),
    "the module called": ("y = torch.fft(x, 2)", True),
    "in a try": (f"try:\n    {READ}\nexcept RuntimeError:\n    pass", False),
    "in a try for something else": (f"try:\n    {READ}\nexcept KeyError:\n    pass", True),
    "in a try of all there is": (f"try:\n    {READ}\nexcept:\n    pass", False),
    "where the other import failed": (
        f"try:\n    from torch.linalg import eigh\nexcept ImportError:\n    {READ}",
        False,
    ),
    "behind a version": (f"if torch.__version__ < '1.9':\n    {READ}", False),
    "behind an attribute": (f"if not hasattr(torch.linalg, 'eigh'):\n    {READ}", False),
    "behind a module that is loaded": (f"import sys\nif 'torch.linalg' not in sys.modules:\n    {READ}", False),
    "behind other modules": (f"if 'eigh' not in model.modules:\n    {READ}", True),
    "behind another test": (f"if flag:\n    {READ}", True),
    "behind the version of Python": (f"import sys\nif sys.version_info > (3,):\n    {READ}", True),
    "behind the version of another package": (f"import timm\nassert timm.__version__ == '0.3.2'\n{READ}", True),
    "behind a version that every release has by now": (f"assert torch.__version__ >= '1.8.0'\n{READ}", True),
    "behind a version that is parsed": (
        f"from packaging import version\nv = version.parse(torch.__version__)\nif v < limit:\n    {READ}",
        False,
    ),
    "behind a variable": (f"old = not hasattr(torch, 'fft')\nif flag and old:\n    {READ}", False),
    "behind a helper": (f"def is_old():\n    return torch.__version__ < '2'\nif is_old():\n    {READ}", False),
    "in an arm of a choice": ("f = torch.linalg.eigh if hasattr(torch.linalg, 'eigh') else torch.symeig", False),
    "where nobody comes": (f"if False:\n    {READ}", False),
    "in a function for old releases": (
        f"def old(x):\n    {READ}\nif torch.__version__ < '2':\n    solve = old\n",
        False,
    ),
    "in a function that is called at once too": (
        f"def old(x):\n    {READ}\nif torch.__version__ < '2':\n    solve = old\nold(1)",
        True,
    ),
    "in a class for old releases": (
        f"if torch.__version__ < '2':\n    class Old:\n        def f(self, x):\n            {READ}",
        False,
    ),
    "put there by setattr": (f"setattr(torch, 'symeig', f)\n{READ}", False),
    "put among the modules": ("import sys\nsys.modules['torch._six'] = six\nfrom torch._six import inf", False),
    "expected to raise": (f"import pytest\nwith pytest.raises(RuntimeError):\n    {READ}", False),
}


@pytest.mark.parametrize(("code", "is_found"), NAMED.values(), ids=NAMED)
def test_a_name_that_is_gone_is_told_unless_the_program_is_prepared(
    program: Program, code: str, is_found: bool
) -> None:
    assert bool(program(f"import torch\n{code}").findings(RULE)) == is_found


def test_what_is_imported_and_read_is_told_at_the_import(program: Program) -> None:
    code = "import torch._six\nprint(torch._six.PY3)\n"

    assert program(code).reported(RULE) == ["import torch._six"]


@pytest.mark.parametrize(("test", "is_found"), [("torch.__version__ < '2'", False), ("flag", True)])
def test_a_file_that_is_imported_for_old_releases_alone_is_prepared(
    project_of: Project, test: str, is_found: bool
) -> None:
    main = f"import torch\nif {test}:\n    from old import inf\nelse:\n    from math import inf\n"

    found = project_of({"main.py": main, "old.py": "from torch._six import inf\n"}).findings(RULE, "old.py")

    assert bool(found) == is_found


FIXED = {
    "from torch._six import inf": "from math import inf",
    "from torch._six import inf as INF": "from math import inf as INF",
    "from torch._six import container_abcs": "import collections.abc as container_abcs",
    "from torch._six import queue": "import queue",
    "from torch._six import int_classes, nan": "int_classes = int\nfrom math import nan",
    "from torch._six import PY3": None,
    "from torch._six import PY3, inf": None,
    "import torch._six": None,
    "import torch\nx = torch._six.string_classes": "import torch\nx = (str, bytes)",
    "import torch\nx = torch._six.inf": "import math\n\nimport torch\nx = math.inf",
    "from torch._utils import _accumulate": "from itertools import accumulate as _accumulate",
    "from torchvision.transforms import Compose, Scale": "from torchvision.transforms import Compose, Resize as Scale",
    "from torchvision import transforms\nx = transforms.Scale": (
        "from torchvision import transforms\nx = transforms.Resize"
    ),
    "import torch\nfrom torch.utils.data import DataLoader\nit = iter(DataLoader(x))\ny = it.next()": (
        "import torch\nfrom torch.utils.data import DataLoader\nit = iter(DataLoader(x))\ny = next(it)"
    ),
    "from torchvision.models.utils import load_state_dict_from_url": "from torch.hub import load_state_dict_from_url",
}


@pytest.mark.parametrize(("code", "fixed"), FIXED.items())
def test_what_means_the_same_is_put_in_its_place(program: Program, code: str, fixed: str | None) -> None:
    (finding,) = program(code).findings(RULE)

    draft = Draft("main.py", code.encode())
    assert (draft.edited(finding.fix.edits).decode() if finding.fix is not None else None) == fixed


@pytest.mark.parametrize(
    ("package", "below", "severity"),
    [("torch", (2, 0), "info"), ("torch", (2, 1), "error"), ("torch", None, "error"), ("torchvision", (0, 9), "error")],
)
def test_what_the_requirements_of_the_project_keep_out_is_no_error(
    package: str, below: Version | None, severity: str, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(f"import torch\nx = torch.eye(2)\n{READ}\n")
    checkout = Checkout(tmp_path, Project_(tmp_path, companions=[Required(package, None, below)]))

    assert [one.severity.value for one in checkout.findings(RULE)] == [severity]
