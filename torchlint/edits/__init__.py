"""Edits as an author would make them, for what a fix needs."""
