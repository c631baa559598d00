"""No process of torchlint's is left behind by who started it, and none runs what it finds in a folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

_CHECKOUT = Path(__file__).parents[2]
_PATIENCE = 20.0
_CODE = "import torch\nx = torch.ones(3)\n"
_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(_CHECKOUT), "NO_COLOR": "1"}
linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="asks /proc who is whose child")


def _children(parent: int) -> list[int]:
    tasks = Path(f"/proc/{parent}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _left(processes: list[int]) -> list[int]:
    """Return the processes that are there after a while, which are ended then."""
    until = time.monotonic() + _PATIENCE
    while (left := [one for one in processes if _lives(one)]) and time.monotonic() < until:
        time.sleep(0.1)
    for one in left:
        os.kill(one, signal.SIGKILL)
    return left


@linux
@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.parametrize("way", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_workers_end_with_who_started_them(tmp_path: Path, way: str, start: str) -> None:
    for number in range(4):
        # A worker takes a share of the files, and small ones are one.
        (tmp_path / f"{number}.py").write_text(_CODE + "# so it goes\n" * 9_000)
    command = [sys.executable, "-m", "tests.trust.stuck", str(tmp_path), start]
    with subprocess.Popen(command, cwd=_CHECKOUT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        begun = [parent.stdout.readline() for _ in range(2)]
        workers = _children(parent.pid)

        parent.send_signal(getattr(signal, way))
        try:
            parent.wait(_PATIENCE)
        finally:
            parent.kill()

        assert begun == ["begun\n", "begun\n"]
        assert len(workers) >= 2
        assert _left(workers) == []


def _message(stream: IO[bytes]) -> dict[str, object]:
    size = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        size = int(value) if name.lower() == b"content-length" else size
    found = json.loads(stream.read(size))
    assert isinstance(found, dict)
    return found


def _send(stream: IO[bytes], **message: object) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "torchlint", "server"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, env=_ENVIRONMENT, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        yield process
        process.kill()


def _initialize(server: subprocess.Popen[bytes], editor: int | None) -> None:
    assert server.stdin is not None
    _send(server.stdin, id=1, method="initialize", params={"processId": editor, "rootUri": None, "capabilities": {}})


def test_the_server_ends_with_the_editor_though_its_pipe_is_open(server: subprocess.Popen[bytes]) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as editor:
        _initialize(server, editor.pid)
        assert server.stdout is not None
        answer = _message(server.stdout)
        runs_on = server.poll() is None
        editor.kill()

    assert "result" in answer
    assert runs_on
    assert server.wait(_PATIENCE) == 1


def test_the_server_ends_where_the_editor_is_none(server: subprocess.Popen[bytes]) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass

    _initialize(server, gone.pid)

    assert server.wait(_PATIENCE) == 1


def test_a_request_before_hello_is_answered_with_the_error_for_it(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    where = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
    _send(server.stdin, method="textDocument/didClose", params={"textDocument": {"uri": "file:///a.py"}})
    _send(server.stdin, id=7, method="textDocument/hover", params=where)
    _send(server.stdin, id=8, method="shutdown")

    answers = [_message(server.stdout) for _ in range(2)]
    _initialize(server, None)
    hello = _message(server.stdout)

    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [(7, -32002), (8, -32002)]  # type: ignore[index]
    assert hello["id"] == 1
    assert "result" in hello
    _send(server.stdin, id=9, method="textDocument/hover", params=where)
    assert "error" not in _message(server.stdout)


def test_a_server_that_is_told_to_exit_first_does(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    _send(server.stdin, method="exit")

    assert server.wait(_PATIENCE) in (0, 1)


# Python itself imports others before it comes to us: `python -P` does not.
_IMPORTED = ["ast", "copy", "dataclasses", "enum", "hashlib", "inspect", "json", "pathlib", "random", "re", "typing"]


@pytest.mark.parametrize("words", [("-m", "torchlint"), ("-mtorchlint",), ("-B", "-m", "torchlint")])
def test_nothing_in_the_folder_is_run_in_the_place_of_python_s_own(tmp_path: Path, words: tuple[str, ...]) -> None:
    for name in [*_IMPORTED, "torch", "libcst", "click", "tomllib", "zzz"]:
        (tmp_path / f"{name}.py").write_text(f"open('sprung', 'a').write('{name} ')\n")
    (tmp_path / "torchlint").mkdir()
    (tmp_path / "torchlint" / "settings.py").write_text("open('sprung', 'a').write('ours ')\n")
    (tmp_path / "m.py").write_text('import torch\nx = torch.ones(3, device="cuda")\n')

    done = subprocess.run(
        [sys.executable, *words, "--no-cache", "-j2", "-q", "--output-format", "concise", "."],
        cwd=tmp_path, env=_ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert not (tmp_path / "sprung").exists()
    assert done.stdout.startswith("m.py:2:26: hardcoded-cuda")
    assert done.returncode == 1


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python has no such option")
def test_with_p_not_even_a_torchlint_in_the_folder_is_run(tmp_path: Path) -> None:
    (tmp_path / "torchlint").mkdir()
    for name in ("torchlint/__init__.py", "torchlint/__main__.py", "types.py", "functools.py"):
        (tmp_path / name).write_text("open('sprung', 'a')\n")

    done = subprocess.run(
        [sys.executable, "-P", "-m", "torchlint", "--version"],
        cwd=tmp_path, env=_ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert not (tmp_path / "sprung").exists()
    assert done.stdout.startswith("torchlint ")


def test_other_programs_that_are_run_with_m_keep_their_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("import torchlint\n")
    (tmp_path / "mine" / "__main__.py").write_text("import beside\n")
    (tmp_path / "beside.py").write_text("print('found')\n")

    done = subprocess.run(
        [sys.executable, "-m", "mine", "torchlint"],
        cwd=tmp_path, env=_ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.stdout == "found\n"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python has no such option")
def test_a_worker_that_is_spawned_imports_nothing_of_the_folder(tmp_path: Path) -> None:
    for name in ("threading", "types", "copy", "socket", "multiprocessing", "queue"):
        (tmp_path / f"{name}.py").write_text("open('sprung', 'a').write(__name__)\n")
    for number in range(4):
        (tmp_path / f"{number}.py").write_text('import torch\nx = torch.ones(3, device="cuda")\n')
    program = (
        "import sys; sys.path.remove(''); import threading, time; from torchlint.cli import main;"
        "threading.Thread(target=time.sleep, args=(5,), daemon=True).start();"
        "sys.argv[1:] = ['--no-cache', '-j2', '-q', '--output-format', 'concise', '.']; main()"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path, env=_ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert not (tmp_path / "sprung").exists()
    assert done.stdout.count("hardcoded-cuda") == 4


def test_a_malformed_message_is_answered_in_one_line(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    assert server.stderr is not None
    _initialize(server, None)
    _message(server.stdout)

    _send(server.stdin, method="textDocument/didOpen", params={})
    _send(server.stdin, id=5, method="textDocument/hover", params={})
    answer = _message(server.stdout)
    _send(server.stdin, id=6, method="shutdown")
    goodbye = _message(server.stdout)
    _send(server.stdin, method="exit")

    missing = "required field missing @ message.params"
    assert answer["id"] == 5
    assert answer["error"] == {
        "code": -32602,
        "message": f"`textDocument/hover`: {missing}.textDocument; {missing}.position",
    }
    assert goodbye["result"] is None
    logged = server.stderr.read().decode()
    assert logged == f"`textDocument/didOpen`: {missing}.textDocument\n"
