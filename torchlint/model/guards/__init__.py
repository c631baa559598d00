"""Which tests dominate a place, how they come out, and which machines they keep away."""
