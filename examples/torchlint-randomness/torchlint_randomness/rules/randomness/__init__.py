"""Random numbers that are not as random as they look."""
