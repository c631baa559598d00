"""Names that stand for one thing of PyTorch, and their other names, held against PyTorch."""

from __future__ import annotations

import ast
import inspect
import re

import pytest

from tests.pytorch.torch_names import named
from torchlint.pytorch import aliases, commands, device_arguments, generators, saving, streams, symbols
from torchlint.pytorch.aliases import canonical

torch = pytest.importorskip("torch", reason="the names are PyTorch's")

_FULL_NAME = re.compile(r"torch(\.\w+)+\.?")
_TABLES = (symbols, commands, device_arguments, generators, saving, streams)
_NAMES = {
    node.value
    for table in _TABLES
    for node in ast.walk(ast.parse(inspect.getsource(table)))
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and _FULL_NAME.fullmatch(node.value)
}


@pytest.mark.parametrize("name", sorted(_NAMES))
def test_a_name_stands_for_something(name: str) -> None:
    assert named(name) is not None or name in symbols.GPU_VERSIONS


@pytest.mark.parametrize(("space", "module", "names"), aliases._PRIVATE_MODULES)
def test_what_a_private_module_defines_is_what_the_package_has(space: str, module: str, names: str) -> None:
    for name in names.split():
        assert canonical(f"{space}.{module}.{name}") == f"{space}.{name}"
        assert named(f"{space}.{module}.{name}") is named(f"{space}.{name}")


def test_a_function_of_autograd_is_one_class() -> None:
    assert named("torch.autograd.function.Function") is named(symbols.AUTOGRAD_FUNCTION)


@pytest.mark.parametrize("name", sorted(symbols.COMPILED_MODULES))
def test_what_compiles_a_module_returns_one_of_another_class(name: str) -> None:
    compiled = named(symbols.COMPILED)(torch.nn.Linear(2, 2))

    assert type(compiled) is named(name)
    assert isinstance(compiled, named(symbols.MODULE))


def test_a_build_is_for_one_kind_of_gpu_at_most() -> None:
    assert sum(named(name) is not None for name in symbols.GPU_VERSIONS) <= 1


def test_a_variable_is_a_tensor() -> None:
    assert isinstance(torch.ones(1), named(symbols.VARIABLE))
    assert isinstance(named(symbols.VARIABLE)(torch.ones(1)), torch.Tensor)


@pytest.mark.parametrize("name", sorted(commands.COMMANDS))
def test_a_command_takes_no_argument(name: str) -> None:
    parameters = inspect.signature(named(name)).parameters.values()

    assert all(one.default is not inspect.Parameter.empty for one in parameters)


@pytest.mark.parametrize("name", sorted(commands.COMMAND_METHODS))
def test_a_class_has_the_methods_that_are_commands(name: str) -> None:
    assert all(callable(getattr(named(name), method)) for method in commands.COMMAND_METHODS[name])
