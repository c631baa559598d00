"""Edits of code for fixes, in the layout of the code."""
