"""Tabled queries: answers that are kept, cycles between them, and how far calls are followed."""
