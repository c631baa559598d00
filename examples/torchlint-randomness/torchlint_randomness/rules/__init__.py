"""The rules of the pack, a folder for each group."""
