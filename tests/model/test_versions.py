"""The outcomes of tests of torch's version, and the code under them."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Place, Project
from torchlint.registry import builtin_rules

HEAD = """
from distutils.version import LooseVersion

import torch
from accelerate.utils import is_torch_version
from packaging import version
from packaging.version import Version
"""


def outcome(root: Path, test: str, target: tuple[int, int] | None) -> bool | None:
    (root / "main.py").write_text(f"{HEAD}result = {test}\n")
    file = Project(root, target).open(root / "main.py", "main.py")
    statement = file.tree.body[-1]
    return Place(file, statement.value, statement).truth()  # type: ignore[attr-defined]  # an assignment


@pytest.mark.parametrize(
    ("test", "target", "expected"),
    [
        ("torch.__version__ < '1.0'", None, False),
        ("torch.__version__ >= '0.4.0'", None, True),
        ("LooseVersion(torch.__version__) < LooseVersion('1.2.0')", None, False),
        ("Version(torch.__version__) >= Version('1.10')", None, True),
        ("version.parse(torch.__version__) > version.parse('1.9.0a0')", None, True),
        ("torch.__version__ == '0.3.1'", None, False),
        ("torch.__version__ != '0.3.1'", None, True),
        ("is_torch_version('>=', '2.4.0')", None, True),
        # What nobody has seen yet.
        ("torch.__version__ >= '99.0'", None, None),
        # A project that wants no newer one may meet an old one.
        ("torch.__version__ < '1.6'", (1, 4), None),
        ("torch.__version__ < '1.4.0'", (1, 4), False),
        ("torch.__version__ <= '1.4'", (1, 4), None),
        ("torch.__version__ == '1.4'", (1, 4), None),
        ("is_torch_version('<', '2.4')", (2, 0), None),
        # No version at all.
        ("torch.__version__ >= minimum", None, None),
        ("torch.__version__ >= 'nightly'", None, None),
        ("torch.version.cuda >= '9.0'", None, None),
    ],
)
def test_a_version_is_none_older_than_the_project_wants(
    test: str, target: tuple[int, int] | None, expected: bool | None, tmp_path: Path
) -> None:
    assert outcome(tmp_path, test, target) is expected


@pytest.mark.parametrize(
    ("test", "target", "lines"),
    [
        ("torch.__version__ < '1.0'", None, []),
        ("torch.__version__ < '1.0'", (0, 4), [7]),
        ("torch.__version__ >= '1.0'", None, [7]),
        ("torch.__version__ < '99.0'", None, [7]),
    ],
)
def test_an_arm_for_older_versions_is_left_alone(
    test: str, target: tuple[int, int] | None, lines: list[int], tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(
        f"import torch\nfrom torch import nn\n\n\ndef move(net):\n    if {test}:\n        net = net.cuda()\n"
        "    return net\n\n\nmove(nn.Linear(2, 2))\n"
    )
    file = Project(tmp_path, target).open(tmp_path / "main.py", "main.py")

    found = builtin_rules()["hardcoded-cuda"]().check(file)

    assert sorted(one.span.line for one in found) == lines
