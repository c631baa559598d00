"""Whether a function accepts the arguments of a call: how many by position, and which by name."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from torchlint.syntax.arguments import has_open_keywords, has_star
from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class CallShape:
    """How many arguments a call passes by position, and which by name."""

    positional: int
    keywords: frozenset[str]
    is_open: bool
    """Whether it passes more than is written: `*args`, `**kwargs`."""

    def fits(self, function: Scope) -> bool:
        """Tell whether a function, or method, can be called with these arguments."""
        node = function.node
        if isinstance(node, (ast.Module, ast.ClassDef)) or node.decorator_list:
            return True
        own = function.parameters[1:] if function.is_method else function.parameters
        plain = [one for one in own if not one.star]
        placed = [one for one in plain if one.position is not None]
        if self.positional > len(placed) and not any(one.star == "*" for one in own):
            return False
        if not self.keywords <= {one.name for one in plain} and not any(one.star == "**" for one in own):
            return False
        given = {one.name for one in placed[: self.positional]} | self.keywords
        return self.is_open or all(one.name in given or one.default is not None for one in plain)


def shape_of(call: ast.Call) -> CallShape:
    """Return how a call passes its arguments."""
    words = frozenset(word.arg for word in call.keywords if word.arg is not None)
    plain = [one for one in call.args if not isinstance(one, ast.Starred)]
    return CallShape(len(plain), words, has_star(call.args) or has_open_keywords(call))
