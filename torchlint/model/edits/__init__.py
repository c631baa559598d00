"""What a fix needs to know of the program: the name of its device, and which expressions mean the same elsewhere."""
