"""What an expression may be, asked backward and on demand."""
