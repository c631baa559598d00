"""Which tests lie behind a place, how they come out, and what they keep out."""
