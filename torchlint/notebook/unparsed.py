"""Leave out the cells of a notebook that cannot be parsed, as an exercise with blanks has them."""

from __future__ import annotations

from torchlint.notebook.layout import Notebook
from torchlint.trees import is_python


def without_unparsed(program: str, notebook: Notebook) -> str:
    """Return the program of a notebook with empty lines for each cell that is no program by itself."""
    lines = program.split("\n")
    for cell in notebook.cells:
        part = slice(cell.first - 1, cell.last)
        if not is_python("".join(f"{line}\n" for line in lines[part])):
            lines[part] = [""] * len(lines[part])
    return "\n".join(lines)
