"""Modules in wrappers, and programs of several processes."""
