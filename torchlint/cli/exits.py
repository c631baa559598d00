"""The exit codes of a run."""

from __future__ import annotations

CLEAN = 0
FINDINGS = 1
FAILED = 2
INTERRUPTED = 130
# The shell's exit code of a program whose reader closed the pipe: 128 and the number of SIGPIPE.
READER_GONE = 141
