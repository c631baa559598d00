"""What a fix has to know of the program: what the device is called, and what means the same elsewhere."""
