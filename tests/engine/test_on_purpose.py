"""A mistake that is shown on purpose is not reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Torchlint, here, torchlint  # noqa: F401 -- fixtures
from tests.notebook.notebooks import code, document, lines_of, written

_IMPORTS = "".join(f"import {name}\n" for name in ("unittest", "contextlib", "sys", "traceback", "pytest", "torch"))
_HEAD = _IMPORTS + "\nleaf = torch.ones(2, requires_grad=True)\n\n"
_OTHER = "other = torch.ones(2, requires_grad=True)\nother += 2"
_MISTAKE = 'y = torch.ones(1, device="cuda") + torch.ones(1)'
EXPECTED = {
    "pytest": "with pytest.raises(RuntimeError):\n    {}\n",
    "pytest, with words": 'with pytest.raises(RuntimeError, match="device") as caught:\n    {}\n',
    "unittest": "def test(case):\n    with case.assertRaises(RuntimeError):\n        {}\n",
    "unittest, with words": "def test(case):\n    with case.assertRaisesRegex(RuntimeError, 'device'):\n        {}\n",
    "a block in it": "with pytest.raises(RuntimeError):\n    for _ in range(2):\n        {}\n",
    "beside another": "with torch.no_grad(), pytest.raises(RuntimeError):\n    {}\n",
    "a lambda": "pytest.raises(RuntimeError, lambda: torch.ones(1, device='cuda') + torch.ones(1))\n",
    "a lambda of unittest": "def test(case):\n    case.assertRaises(Exception, lambda: torch.ones(1).cuda() + leaf)\n",
    "a function that is passed": "def wrong():\n    {}\npytest.raises(RuntimeError, wrong)\n",
    "a function": "def wrong():\n    {}\n\ndef test():\n    with pytest.raises(RuntimeError):\n        wrong()\n",
    "a function in a test": "def test():\n    def f():\n        {}\n    with pytest.raises(ValueError):\n        f()\n",
    "a function of a function": (
        "def wrong(n):\n    if n:\n        wrong(n - 1)\n    {}\ndef deeper():\n    wrong(2)\n"
        "with pytest.raises(RuntimeError):\n    deeper()\n"
    ),
    "a method": (
        "class Net(torch.nn.Module):\n    def forward(self, x):\n        {}\n        return y\n"
        "def test():\n    net = Net()\n    with pytest.raises(RuntimeError):\n        net(leaf)\n"
    ),
    "a test that is to fail": "@pytest.mark.xfail\ndef test():\n    {}\n",
    "a test that is to raise": "@pytest.mark.xfail(raises=RuntimeError, strict=True)\ndef test():\n    {}\n",
    "a method that is to fail": (
        "class Test(unittest.TestCase):\n    @unittest.expectedFailure\n    def test(self):\n        {}\n"
    ),
    "a failure behind it": "try:\n    {}\n    assert False, 'no error'\nexcept RuntimeError:\n    pass\n",
    "a failure without it": "try:\n    {}\nexcept RuntimeError:\n    pass\nelse:\n    pytest.fail('no error')\n",
    "an error without it": "try:\n    {}\nexcept RuntimeError:\n    pass\nelse:\n    raise AssertionError\n",
}
NOT_EXPECTED = {
    "a program": "{}\n",
    "before it": "{}\nwith pytest.raises(RuntimeError):\n    print()\n",
    "behind it": "with pytest.raises(RuntimeError):\n    print()\n{}\n",
    "what goes on where it raises": "with contextlib.suppress(ValueError):\n    {}\n",
    "a test that waits for nothing": "def test():\n    {}\n",
    "an argument": "pytest.raises(RuntimeError, print, torch.ones(1, device='cuda') + torch.ones(1))\n",
    "a function that is called elsewhere too": (
        "def wrong():\n    {}\nwith pytest.raises(RuntimeError):\n    wrong()\nwrong()\n"
    ),
    "a function that nothing calls": "def wrong():\n    {}\nwith pytest.raises(RuntimeError):\n    print()\n",
    "a test that is to fail elsewhere": "@pytest.mark.xfail(sys.platform == 'win32')\ndef test():\n    {}\n",
    "a class": "class Box:\n    def run(self):\n        {}\nwith pytest.raises(ValueError):\n    Box()\nBox().run()\n",
}


def test_a_function_of_the_library_is_reported_whatever_a_test_of_it_expects(here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    (here / "library.py").write_text(f"import torch\n\n\ndef add():\n    {_MISTAKE}\n    return y\n")
    (here / "test_library.py").write_text(_HEAD + "from library import add\npytest.raises(RuntimeError, add)\n")

    assert rules(torchlint("-q", "--output-format", "concise").out) == ["device-mismatch", "hardcoded-cuda"]


def rules(ran: str) -> list[str]:
    """Return the rules of concise output."""
    return [line.split(" ")[1] for line in ran.splitlines()]


def outputs(name: str) -> list[dict[str, object]]:
    """Return the recorded output of a cell that raised."""
    return [{"output_type": "error", "ename": name, "evalue": "a leaf", "traceback": [name]}]


@pytest.mark.parametrize("program", EXPECTED.values(), ids=EXPECTED)
def test_what_a_test_waits_for_is_not_reported(program: str, here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    (here / "main.py").write_text(_HEAD + program.format(_MISTAKE))

    assert torchlint("-q").out == ""


@pytest.mark.parametrize("program", NOT_EXPECTED.values(), ids=NOT_EXPECTED)
def test_what_nobody_waits_for_is(program: str, here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    (here / "main.py").write_text(_HEAD + program.format(_MISTAKE))

    assert rules(torchlint("-q", "--output-format", "concise").out) == ["device-mismatch", "hardcoded-cuda"]


PRINTED = {
    "its text": "try:\n    {}\nexcept RuntimeError as error:\n    print(error)\n",
    "in words": "try:\n    x = 1\n    {}\nexcept RuntimeError as e:\n    print(f'no: {{e}}')\n",
    "a heading before it": "try:\n    {}\nexcept RuntimeError as error:\n    print('raises')\n    print(error)\n",
    "its first line": ("try:\n    {}\nexcept RuntimeError as e:\n    text = str(e).splitlines()[0]\n    print(text)\n"),
    "a check of it": "try:\n    {}\nexcept RuntimeError as error:\n    assert 'device' in str(error)\n",
    "its traceback": "try:\n    {}\nexcept RuntimeError:\n    traceback.print_exc()\n",
    "its traceback in words": "try:\n    {}\nexcept RuntimeError:\n    print('no:', traceback.format_exc())\n",
    "of any kind": "def show():\n    try:\n        {}\n    except Exception as e:\n        print(type(e), e)\n",
}
NOT_PRINTED = {
    "a handler that goes on": "try:\n    {}\nexcept RuntimeError as error:\n    print(error)\n    y = None\n",
    "a handler that says something else": "try:\n    {}\nexcept RuntimeError as error:\n    print('failed')\n",
    "not the last": "try:\n    {}\n    print(y)\nexcept RuntimeError as error:\n    print(error)\n",
    "a loop": "try:\n    for _ in range(2):\n        {}\nexcept Exception as error:\n    print(error)\n",
    "a long one": "try:\n    print()\n    print()\n    print()\n    {}\nexcept Exception as error:\n    print(error)\n",
    "a log": "try:\n    {}\nexcept Exception as error:\n    log.error(error)\n",
    "the handler itself": "try:\n    print()\nexcept Exception as error:\n    {}\n",
}


@pytest.mark.parametrize("program", PRINTED.values(), ids=PRINTED)
def test_an_error_that_the_program_prints_is_not_reported(program: str, here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    (here / "main.py").write_text(_HEAD + program.format(_MISTAKE))

    assert torchlint("-q", "--output-format", "concise").out == ""


@pytest.mark.parametrize("program", NOT_PRINTED.values(), ids=NOT_PRINTED)
def test_one_that_is_handled_is(program: str, here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    (here / "main.py").write_text(_HEAD + program.format(_MISTAKE))

    assert {"device-mismatch", "default-device-tensor"} & {*rules(torchlint("-q", "--output-format", "concise").out)}


def test_an_error_that_the_output_of_a_cell_shows_is_not_reported(here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    cells = [code(lines_of(_HEAD)), code("leaf += 1", outputs=outputs("RuntimeError")), code(_OTHER)]
    (here / "main.ipynb").write_text(written(document(cells)))

    ran = torchlint("-q", "--output-format", "concise")

    assert ran.out.startswith("main.ipynb:cell 3:2:1: inplace-on-leaf ")
    assert len(ran.out.splitlines()) == 1


def test_who_interrupts_a_cell_shows_no_error_and_what_is_slow_stays(here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    cells = [
        code(lines_of(_HEAD)),
        code("leaf += 1", outputs=outputs("KeyboardInterrupt")),
        code("net = torch.nn.DataParallel(torch.nn.Linear(1, 1).cuda())", outputs=outputs("RuntimeError")),
    ]
    (here / "main.ipynb").write_text(written(document(cells)))

    ran = torchlint("-q", "--output-format", "concise", "--select", "inplace-on-leaf,hardcoded-cuda")

    assert rules(ran.out) == ["2:1:1:", "3:1:29:"]


def test_a_cell_that_is_tagged_to_raise_shows_its_error_before_it_is_run(here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    cells = [code(lines_of(_HEAD)), code("leaf += 1", metadata={"tags": ["raises-exception"]}), code(_OTHER)]
    (here / "main.ipynb").write_text(written(document(cells)))

    ran = torchlint("-q", "--output-format", "concise")

    assert [line.split(" ")[2] for line in ran.out.splitlines()] == ["inplace-on-leaf"]
    assert ran.out.startswith("main.ipynb:cell 3:2:1: ")


def test_a_cell_that_is_run_again_is_linted_again(here: Path, torchlint: Torchlint) -> None:  # noqa: F811
    notebook = here / "main.ipynb"
    found = []
    for recorded in (outputs("RuntimeError"), []):
        notebook.write_text(written(document([code(lines_of(_HEAD)), code("leaf += 1", outputs=recorded)])))
        found.append(torchlint("-q", "--output-format", "concise").out.count("inplace-on-leaf"))

    assert found == [0, 1]
