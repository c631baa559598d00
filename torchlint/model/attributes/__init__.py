"""The attributes of objects and classes."""
