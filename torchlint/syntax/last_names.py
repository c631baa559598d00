"""The names of names, attributes and calls: their last ones, or their roots."""

from __future__ import annotations

import ast

IN_TABLE = "[]"
"""The suffix of a table's name, when it represents any of its items."""


def callee_name(call: ast.Call) -> str:
    """Return the last name of what is called, or `""`: `item` for `loss.sum().item()`."""
    return last_name(call.func)


def without_call(node: ast.expr) -> ast.expr:
    """Return what a call calls, and any other expression as it is: `timed` of both `@timed` and `@timed("x")`."""
    return node.func if isinstance(node, ast.Call) else node


def called_as(call: ast.Call) -> str:
    """Return the last name of what is called, a string by which that is looked up, or the table that holds it."""
    match call.func:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
            return name
        case function:
            return last_name(function) or table_name(function)


def table_name(node: ast.AST) -> str:
    """Return the name for items of a table: `nets[]` for `nets[key]`."""
    match node:
        case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get")):
            name = last_name(table)
            return f"{name}{IN_TABLE}" if name else ""
        case _:
            return ""


def last_name(node: ast.AST) -> str:
    """Return the last name of a name or attribute, or `""`."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def root_of(node: ast.expr) -> ast.expr:
    """Return the root of a name with attributes: `self` of `self.model.head`; anything else itself."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def is_dotted_name(node: ast.expr) -> bool:
    """Tell whether an expression is a name with attributes, which computes nothing."""
    return isinstance(root_of(node), ast.Name)
