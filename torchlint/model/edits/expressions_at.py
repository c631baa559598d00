"""Expressions that a fix or a message would write at a place, as the evaluator reads them there."""

from __future__ import annotations

import ast

from torchlint.model.place import Place
from torchlint.syntax.walk import walk
from torchlint.trees import expression_of


def expression_at(place: Place, text: str) -> Place:
    """Return an expression as it would be read at a place, in no call of its function."""
    expression = expression_of(text)
    for node in walk(expression):
        ast.copy_location(node, place.expression)
    return Place(place.file, expression, place.statement)
