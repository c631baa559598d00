"""Programs that have nothing to do with each other, although one repository holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import may_import_any, program_files, programs_with

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def are_apart(ev: Evaluator, one: ParsedFile, other: ParsedFile) -> bool:
    """Tell whether two files stand in folders beside each other, and no program of either runs a file of the other's.

    What stands in a folder above serves those below, as tools of the whole do.
    """
    folders = one.location.parent, other.location.parent
    if any(here.is_relative_to(there) for here, there in (folders, folders[::-1])):
        return False
    if any(may_import_any(ev, root) for file in (one, other) for root in programs_with(ev, file)):
        return False
    return program_files(ev, one).isdisjoint(program_files(ev, other))
