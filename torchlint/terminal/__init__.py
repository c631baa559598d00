"""Output to a terminal, a pipe or the log of a CI: streams, text that is safe to show, and colour."""
