"""Which loops train, which only evaluate, and what runs with every step."""
