"""How far inference goes before it gives up, and answers that nothing is known.

A walk that may come back to where it is, or to one place on many ways, is a question (`values/tabled.py`): it has a
memo, and is cut by the limits of the engine. `NESTED` and `FAR` are for plain walks over what is finite and small.
"""

from __future__ import annotations

QUERY_DEPTH = 100
"""Queries that wait for one another. No program that anybody wrote has such a chain; Python's own stack ends later."""

CALL_STRING_LIMIT = 4
"""The k of k-limited call strings. What a value was more calls ago nobody follows who reads a finding."""

FRAME_DEPTH = 2
"""Calls that are followed from one place. Further down, what a value was at the start hardly shows."""

MOST_CALLERS = 10
"""Callers whose arguments are merged. A function that has more is a library's: what they pass is anybody's guess."""

MOST_POSSIBILITIES = 12
"""What one expression may be. Past so many nobody reads them; the rest is unknown."""

MOST_ANSWERS = 500_000
"""Answers that are kept, at about a kilobyte each with what they hold on to."""

NESTED = 4
"""Values in values, tests in tests, calls in arguments, arms in arms: hardly anybody writes deeper."""

FAR = 8
"""Calls from a loop down to what runs in it, or from a function up to the program: one for each layer of a program."""
