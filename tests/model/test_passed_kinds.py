"""What `isinstance` returns for a parameter, by the call that the function is entered by."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project
from torchlint.model.parallel.wrappers import wrappings

PROGRAM = """
import torch
from torch import nn
from settings import build
class Wrapped(nn.DataParallel):
    pass
class Net(nn.Module):
    def as_wrapped(self):
        return convert(self)
class Replicated(Net):
    pass
def convert(module, kind=None):
    if {test}:
        return Wrapped(module)
    return module
show({shown})
"""


def wrappings_shown(tmp_path: Path, test: str, shown: str) -> int:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(test=test, shown=shown))
    (call,) = Project(tmp_path).open(path, "main.py").method_calls("show")
    return len(wrappings(call.arguments[0]))


@pytest.mark.parametrize(
    ("test", "shown"),
    [
        ("isinstance(module, nn.DataParallel)", "convert(nn.Linear(2, 2))"),
        ("isinstance(module, nn.DataParallel)", "convert(Net().eval())"),
        ("isinstance(module, (nn.DataParallel, Replicated))", "convert(Net())"),
        ("kind is not None and isinstance(module, Replicated)", "convert(Net(), 1)"),
        ("not isinstance(module, Net)", "convert(Replicated())"),
    ],
)
def test_what_is_returned_of_another_class_than_a_call_passes_does_not_come_back(
    tmp_path: Path, test: str, shown: str
) -> None:
    assert wrappings_shown(tmp_path, test, shown) == 0


@pytest.mark.parametrize(
    ("test", "shown"),
    [
        ("isinstance(module, nn.Linear)", "convert(nn.Linear(2, 2))"),
        ("isinstance(module, Net)", "convert(Replicated())"),
        ("isinstance(module, nn.DataParallel)", "convert(build())"),
        ("isinstance(module, Replicated)", "convert(Net() if build() else Replicated())"),
        ("isinstance(module, Replicated)", "Replicated().as_wrapped()"),
        ("isinstance(module, kind)", "convert(Net(), build())"),
    ],
)
def test_what_a_call_may_pass_comes_back_as_the_function_returns_it(tmp_path: Path, test: str, shown: str) -> None:
    assert wrappings_shown(tmp_path, test, shown) == 1


def test_the_object_of_a_method_may_be_of_any_subclass(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    text = PROGRAM.format(test="isinstance(module, Replicated)", shown="0")
    path.write_text(text.replace("return convert(self)", "tell(convert(self))"))
    (call,) = Project(tmp_path).open(path, "main.py").method_calls("tell")

    assert len(wrappings(call.arguments[0])) == 1
