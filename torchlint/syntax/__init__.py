"""A file as it is written: its tree and text, its scopes, and which bindings reach a statement."""
