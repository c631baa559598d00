"""Which loops train, which only evaluate, and what runs at every step."""
