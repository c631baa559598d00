"""Stores and method calls are looked up by how what they fill is written."""

from __future__ import annotations

import ast
from pathlib import Path

from torchlint.model import Project, SourceFile

_PROGRAM = """
class Net:
    def __init__(self, part):
        self.parts = {}
        self.parts["a"] = part
        self.parts[0], self.rest[1] = part, part
        self.sizes += [part]

    def fill(self):
        if self:
            self.parts.append(1)
        parts.append(2)
        self.parts.append(3)
        self.parts.extend([4])

parts = {}
parts["b"] = Net
"""


def _opened() -> SourceFile:
    return Project(Path("/nowhere")).open(Path("/nowhere/a.py"), "a.py", _PROGRAM.encode())


def test_items_are_looked_up_by_their_container() -> None:
    stores = _opened().stores

    assert [store.statement.lineno for store in stores.items("parts")] == [17]
    assert sorted(store.statement.lineno for store in stores.items("self.parts")) == [5, 6]
    assert len(stores.items("self.rest")) == 1
    assert not stores.items("nothing")


def test_items_of_an_attribute_are_those_of_the_method_and_of_its_class() -> None:
    file = _opened()
    scopes = {scope.name: scope for scope in file.index.scopes}

    assert len(file.stores.items_in(scopes["__init__"], "self.parts")) == 2
    assert len(file.stores.items_in(scopes["Net"], "self.parts")) == 2
    assert not file.stores.items_in(scopes["fill"], "self.parts")


def test_stores_are_looked_up_by_the_name_that_is_stored() -> None:
    stores = _opened().stores

    assert [ast.unparse(store.target) for store in stores.of_name("Net")] == ["parts"]
    assert not stores.of_name("self")


def test_additions_are_looked_up_by_what_they_add_to() -> None:
    assert [one.lineno for one in _opened().stores.augmented("self.sizes")] == [7]


def test_method_calls_are_of_what_is_written_so_in_source_order() -> None:
    file = _opened()

    assert [ast.unparse(call.args[0]) for call, _ in file.method_calls_on("self.parts", "append")] == ["1", "3"]
    assert [ast.unparse(call.args[0]) for call, _ in file.method_calls_on("parts", "append")] == ["2"]


def test_items_are_looked_up_by_their_constant_key_beside_those_of_other_keys() -> None:
    code = "x = {}\nx['a'] = 1\nx[name] = 2\nx['b'] = 3\nx['a'] = 4\ny['a'] = 5\n"
    file = Project(Path("/nowhere")).open(Path("/nowhere/a.py"), "a.py", code.encode())
    scope = file.index.scope

    assert [store.statement.lineno for store in file.stores.items_under(scope, "x", "a")] == [2, 3, 5]
    assert [store.statement.lineno for store in file.stores.items_under(scope, "x", "c")] == [3]
    assert [store.statement.lineno for store in file.stores.open_items(scope, "x")] == [3]
