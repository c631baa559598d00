"""The items of lists, dicts and module containers, and what was put there since they were made."""
