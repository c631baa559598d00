"""What the exit code of a run says."""

from __future__ import annotations

CLEAN = 0
FINDINGS = 1
FAILED = 2
INTERRUPTED = 130
# What a shell says of a program whose reader went away: 128 and the number of SIGPIPE.
READER_GONE = 141
