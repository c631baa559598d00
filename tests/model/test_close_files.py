"""Which files may pass values to each other, by the imports between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.call_graph.close_files import are_close
from torchlint.model.worlds import ANYWHERE

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

# A script, what trains, what that calls, and what is called by that; and packages that offer two of their files.
FILES = {
    "main.py": "import trainer\nimport devices",
    "trainer.py": "import steps",
    "steps.py": "import losses",
    "losses.py": "import numbers",
    "devices.py": "",
    "other.py": "import devices",
    "kit/__init__.py": "from .first import one\nfrom .second import two",
    "kit/first.py": "one = 1",
    "kit/second.py": "two = 2",
    "user.py": "from kit import one",
    "box/__init__.py": "from .first import one\nfrom .second import two",
    "box/first.py": "one = 1",
    "box/second.py": "two = 2",
}


@pytest.mark.parametrize(
    ("one", "other", "close"),
    [
        ("steps.py", "steps.py", True),
        # A script passes a value to what it imports, and that to what it imports.
        ("trainer.py", "main.py", True),
        ("steps.py", "main.py", True),
        ("losses.py", "main.py", False),
        # A file takes a value from what it imports, and is passed one that its importer takes from elsewhere.
        ("main.py", "devices.py", True),
        ("trainer.py", "devices.py", True),
        ("losses.py", "devices.py", False),
        # Two that import a third pass each other nothing.
        ("other.py", "main.py", False),
        # A package offers its files, and passes nothing between them; but who imports it may.
        ("user.py", "kit/first.py", True),
        ("kit/first.py", "user.py", True),
        ("kit/first.py", "kit/second.py", True),
        ("box/first.py", "box/second.py", False),
    ],
)
def test_files_are_close_within_two_imports(project_of: ProjectOf, one: str, other: str, close: bool) -> None:
    checkout = project_of(FILES)

    assert are_close(checkout.project.evaluator(ANYWHERE), checkout.file(one), checkout.file(other)) == close
