"""What is in lists, dicts and the containers of modules, and what was put there since they were made."""
