"""How far inference goes before it gives up, with unknown as the answer.

A walk that may have cycles, or reach one place along many paths, is a query (`values/tabled.py`): it has a memo, and
the engine's limits end it. One that only goes through each place once is a loop with a visited set, and has no limit
(`syntax/closure.py`). `NESTED` and `FAR` are for paths, of which there is no end: frames, and stories of calls.
"""

from __future__ import annotations

QUERY_DEPTH = 120
"""Queries that wait for one another. No real program has such a chain; Python's own stack ends later."""

CALL_STRING_LIMIT = 4
"""The k of k-limited call strings. A reader of a finding does not follow a value through more calls."""

FRAME_DEPTH = 2
"""Calls that are followed from one place. Deeper down, the value at the start hardly matters."""

MOST_CALLERS = 10
"""Callers whose arguments are joined. A function with more callers is a library's: its arguments may be anything."""

MOST_POSSIBILITIES = 12
"""Possibilities of one expression. Beyond so many, the rest is unknown."""

MOST_ANSWERS = 500_000
"""Queries whose answers are kept, at about a kilobyte each with what they refer to."""
UNCOUNTED_ANSWERS = 50_000
"""How many more answers may be found before they are counted: to count them after every file takes longer than most
files do."""

NESTED = 4
"""Values in values, tests in tests, calls in arguments, classes below a base: code is hardly ever nested deeper."""

FAR = 8
"""Calls from a loop down to what runs in it, or from a function up to the program; bases above a class."""
