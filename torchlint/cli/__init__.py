"""The command `torchlint`: in any case a command line ends with an exit code and with whole sentences."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Sequence

from torchlint.cli.exits import CLEAN, FAILED, INTERRUPTED, READER_GONE
from torchlint.errors import TorchlintError
from torchlint.terminal.streams import flush, forget_stdout, tell, tolerate_any_text

__all__ = ["main", "run"]

PROGRAM = "torchlint"
_COMPLETION = "_TORCHLINT_COMPLETE"
_RANGE = re.compile(r"not a valid (\w+) range$")


def main() -> None:
    """Run the command line of this process, and exit."""
    code = run(sys.argv[1:])
    # The system frees the memory of a process at once; Python would search it for garbage first.
    gc.freeze()
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Return the exit code of a command line: 0 clean, 1 findings, 2 errors, 130 interrupted."""
    tolerate_any_text()
    try:
        code = _carried_out(arguments)
        flush()
    except BrokenPipeError:
        forget_stdout()
        return READER_GONE
    except KeyboardInterrupt:
        tell("interrupted")
        return INTERRUPTED
    except TorchlintError as error:
        return _failed(*error.lines)
    # Any other exception is a bug of torchlint: this is the only place that may report it in a line.
    except Exception as error:  # noqa: BLE001
        return _broken(error, arguments)
    return code


def _carried_out(arguments: Sequence[str]) -> int:
    import click

    from torchlint.cli.command import torchlint

    if instruction := os.environ.get(_COMPLETION):
        from click.shell_completion import shell_complete

        return shell_complete(torchlint, {}, PROGRAM, _COMPLETION, instruction)
    try:
        with torchlint.make_context(PROGRAM, list(arguments)) as context:
            code: int | None = torchlint.invoke(context)
            return code or CLEAN
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        return _failed(f"{_sentence(error.format_message())}\n  tip: {_tip(error)}")


def _sentence(message: str) -> str:
    """Return a message of click in the form of torchlint's: no capital, no full stop.

    What is not a number at all, click calls no valid integer range.
    """
    return message[:1].lower() + _RANGE.sub(r"not a valid \1", message[1:].removesuffix("."))


def _tip(error: object) -> str:
    from click import UsageError

    path = error.ctx.command_path if isinstance(error, UsageError) and error.ctx else PROGRAM
    return f"`{path.removesuffix(' check')} --help` lists what there is"


def _failed(*messages: str) -> int:
    for message in messages:
        tell(f"error: {message}")
    return FAILED


def _broken(error: Exception, arguments: Sequence[str]) -> int:
    if "--traceback" in arguments:
        import traceback

        traceback.print_exception(error)
    tell(f"error: torchlint failed ({type(error).__name__}: {error}): this is a bug in torchlint, please report it")
    if "--traceback" not in arguments:
        tell("  tip: run it with --traceback for details")
    return FAILED
