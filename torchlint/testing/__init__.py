"""Check the rules of a pack with their programs, line by line, and for the conventions of the manual and command line.

    import pytest
    from torchlint.testing import Case, cases, unkept

    @pytest.mark.parametrize("case", cases("my_pack.rules"), ids=str)
    def test_a_rule_reports_the_marked_lines_and_no_others(case: Case) -> None:
        assert case.reported() == case.marked()

    @pytest.mark.parametrize("case", cases("my_pack.rules", "fixed"), ids=str)
    def test_a_bad_program_is_mended_to_the_letter(case: Case) -> None:
        assert case.twin("bad").fixed() == case.texts()

    def test_the_pack_keeps_the_conventions() -> None:
        assert unkept("my_pack.rules") == []

Nothing here needs pytest. A pack need not be installed to be tested, nor is torch.
"""

from __future__ import annotations

from torchlint.testing.case import Case, Mark, cases
from torchlint.testing.conventions import unkept

__all__ = ["Case", "Mark", "cases", "unkept"]
