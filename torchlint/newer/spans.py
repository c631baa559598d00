"""Where the nodes of a LibCST tree stand, in bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper


class Spans:
    """The nodes of a tree, and where each stands."""

    def __init__(self, tree: cst.Module) -> None:
        # The tree is the parser's own: no node is in it twice.
        self._found = MetadataWrapper(tree, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)

    def nodes(self) -> Iterator[cst.CSTNode]:
        """Yield every node, the parts of one before it."""
        return iter(self._found)

    def start(self, node: cst.CSTNode) -> int:
        """Return where a node begins, its parentheses not counted."""
        return self._found[node].start

    def end(self, node: cst.CSTNode) -> int:
        """Return where a node ends, its parentheses not counted."""
        found = self._found[node]
        return found.start + found.length

    def around(self, node: cst.BaseExpression) -> tuple[int, int]:
        """Return where an expression stands with its parentheses."""
        start = self.start(node.lpar[0]) if node.lpar else self.start(node)
        return start, self.end(node.rpar[-1]) if node.rpar else self.end_of_elements(node)

    def end_of_elements(self, node: cst.BaseExpression) -> int:
        """Return where an expression ends; what follows the last comma of a tuple is not of it."""
        if not isinstance(node, cst.Tuple) or node.rpar:
            return self.end(node)
        return self.end_of_sequence(node.elements)

    def end_of_sequence(self, elements: Sequence[cst.BaseElement | cst.SubscriptElement]) -> int:
        """Return where elements end, a comma behind the last one included."""
        comma = elements[-1].comma
        if isinstance(comma, cst.Comma):
            return self.start(comma.whitespace_after)
        return self.end(elements[-1])
