"""What no run comes to is not reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Torchlint, here, torchlint  # noqa: F401 -- fixtures
from tests.notebook.notebooks import code, document, lines_of, written

_HEAD = "import sys\nimport torch\n\n"
_MISTAKE = 'y = torch.ones(1, device="cuda")'
DEAD = {
    "below a return": f"def run(x):\n    return x\n    {_MISTAKE}\n",
    "below a raise": f"def run(x):\n    raise NotImplementedError\n    print(x)\n    {_MISTAKE}\n",
    "below a jump": f"for x in (1, 2):\n    print(x)\n    continue\n    {_MISTAKE}\n",
    "in a block below": f"def run(x):\n    return x\n    if x:\n        {_MISTAKE}\n",
    "below arms that leave": f"def run(x):\n    if x:\n        return\n    else:\n        raise x\n    {_MISTAKE}\n",
    "below the end of the program": f"sys.exit(0)\n{_MISTAKE}\n",
}
ALIVE = {
    "above a return": f"def run(x):\n    {_MISTAKE}\n    return y\n",
    "the return itself": 'def run(x):\n    return torch.ones(1, device="cuda")\n',
    "below one arm that leaves": f"def run(x):\n    if x:\n        return 1\n    {_MISTAKE}\n",
    "behind the function": f"def run(x):\n    return x\n{_MISTAKE}\n",
    "behind the loop": f"for x in (1, 2):\n    break\n{_MISTAKE}\n",
    "in another arm": f"def run(x):\n    if x:\n        return 1\n    else:\n        {_MISTAKE}\n    return 2\n",
    "where it is caught": f"try:\n    raise ValueError\nexcept ValueError:\n    {_MISTAKE}\n",
    "at the end": f"try:\n    sys.exit()\nfinally:\n    {_MISTAKE}\n",
}


@pytest.mark.parametrize("program", DEAD.values(), ids=DEAD)
def test_what_never_runs_is_not_reported(program: str, here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    (here / "main.py").write_text(_HEAD + program)

    assert torchlint("-q").out == ""


@pytest.mark.parametrize("program", ALIVE.values(), ids=ALIVE)
def test_what_may_run_is(program: str, here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    (here / "main.py").write_text(_HEAD + program)

    assert "hardcoded-cuda" in torchlint("-q", "--output-format", "concise").out


@pytest.mark.parametrize("stop", ["raise SystemExit", "sys.exit()", "def run(x):\n    return x"])
def test_the_cells_below_one_that_stops_are_run_by_hand(stop: str, here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    cells = [code(lines_of(text)) for text in (_HEAD, stop, _MISTAKE)]
    (here / "main.ipynb").write_text(written(document(cells)))

    assert "hardcoded-cuda" in torchlint("-q", "--output-format", "concise").out
