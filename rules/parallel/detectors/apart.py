"""Programs that are independent, although they are in one repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import may_import_any, program_files, programs_with

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def are_apart(ev: Evaluator, one: ParsedFile, other: ParsedFile) -> bool:
    """Tell whether two files are in sibling folders, and no program of either runs a file of the other's.

    A folder above others has tools for all of them.
    """
    folders = one.location.parent, other.location.parent
    if any(here.is_relative_to(there) for here, there in (folders, folders[::-1])):
        return False
    if any(may_import_any(ev, root) for file in (one, other) for root in programs_with(ev, file)):
        return False
    return program_files(ev, one).isdisjoint(program_files(ev, other))
